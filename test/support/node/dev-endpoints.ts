/** The addresses that the development server keeps for itself beside the Worker, as its own code names them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../scripts/support/dev-server.ts';

const ENTRY = 'node_modules/miniflare/dist/src/workers/core/entry.worker.js';

/** By the name that miniflare has for each, such as `R2_S3`. Throws when its code names none. */
export function devEndpoints(): Readonly<Record<string, string>> {
  const code = readFileSync(join(ROOT, ENTRY), 'utf8');
  const table = /CorePaths = \{(.*?)\n?\}/s.exec(code)?.[1] ?? '';
  const found = [...table.matchAll(/(\w+): "(\/[^"]+)"/g)];
  if (found.length === 0) throw new Error(`${ENTRY} names no addresses.`);
  return Object.fromEntries(found.map(([, name = '', path = '']) => [name, path]));
}
