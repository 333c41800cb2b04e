/** The check that holds the size of the Worker, as `npm run deploy:check` runs it. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BUNDLE_KIB_MAX } from '../scripts/support/bundle.ts';
import { makeScratch, removeScratch, ROOT } from '../scripts/support/dev-server.ts';

test('a Worker within the limit passes', async () => {
  const { status, printed } = await checkModules({ 'worker.js': 1, 'kernel.wasm': 2 });

  expect(printed).toContain('The Worker has 3 KiB gzipped, of 400 at most.');
  expect(status).toBe(0);
});

test('a Worker over the limit fails and says how to find what has grown', async () => {
  const { status, printed } = await checkModules({ 'worker.js': BUNDLE_KIB_MAX, 'kernel.wasm': 1 });

  expect(printed).toContain(`of ${BUNDLE_KIB_MAX} at most.`);
  expect(printed).toContain('Find what has grown');
  expect(status).toBe(1);
});

test('source maps and assets do not count', async () => {
  const { status } = await checkModules({ 'worker.js': 1, 'worker.js.map': BUNDLE_KIB_MAX });

  expect(status).toBe(0);
});

test('a directory without a module fails', async () => {
  const { status, printed } = await checkModules({ 'README.md': 1 });

  expect(printed).toContain('There is no module in');
  expect(status).toBe(1);
});

/** Runs the check on files of random bytes, which no compression makes smaller; sizes are in KiB. */
async function checkModules(sizes: Readonly<Record<string, number>>) {
  const directory = makeScratch();
  try {
    for (const [name, kibibytes] of Object.entries(sizes)) {
      writeFileSync(join(directory, name), randomBytes(kibibytes * 1024));
    }
    return await new Promise<{ status: number; printed: string }>((done) => {
      const script = join(ROOT, 'scripts/bundle-size.ts');
      const child = execFile(process.execPath, [script, directory], (_error, stdout, stderr) =>
        done({ status: child.exitCode ?? -1, printed: stdout + stderr }),
      );
    });
  } finally {
    removeScratch(directory);
  }
}
