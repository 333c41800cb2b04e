/** `npm run audit` against a registry that knows a weakness, one that knows none, and one that does not answer. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { ROOT } from '../../scripts/support/dev-server.ts';

const HONO = {
  hono: [
    {
      id: 1,
      url: 'https://advisories.example/1',
      title: 'Made up',
      severity: 'high',
      vulnerable_versions: '>=0.0.1',
    },
  ],
};

/** What npm asks of a weak package and of those that need it: which versions there are. */
function packageAt(path = ''): object {
  const name = decodeURIComponent(path.slice(1));
  const version = manifest.dependencies.hono;
  const isWeak = name === 'hono';
  return {
    name,
    'dist-tags': isWeak ? { latest: version } : {},
    versions: isWeak ? { [version]: { name, version, dist: {} } } : {},
  };
}

test.each([
  ['a weakness of what is deployed', 200, HONO, [], 1, /^high: hono/m],
  ['none', 200, {}, [], 0, /^No known weakness/],
  ['an audit that it does not do', 405, {}, [], 0, /not audited/],
  ['an audit that it does not do, before a release', 405, {}, ['--required'], 1, /not audited/],
] as const)('a registry that answers with %s', async (_, status, body, args, code, said) => {
  const server = createServer((request, response) => {
    request.resume();
    const isPackage = request.method === 'GET';
    response.writeHead(isPackage ? 200 : status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isPackage ? packageAt(request.url) : body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    const result = await run(args, address);

    expect(result.code).toBe(code);
    expect(result.output).toMatch(said);
  } finally {
    server.close();
  }
});

function run(args: readonly string[], address: string): Promise<{ code: number; output: string }> {
  const node = join(ROOT, 'node_modules/.bin/node');
  const env = { ...process.env, npm_config_registry: address, npm_config_fetch_retries: '0' };
  return new Promise((resolve) => {
    execFile(node, ['scripts/audit.ts', ...args], { cwd: ROOT, env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr });
    });
  });
}
