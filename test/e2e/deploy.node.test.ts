/** The wrangler that is installed, at an API on this machine: that it still does and says what `npm run deploy` reads. */
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deploy } from '../../scripts/deploy/deployment.ts';
import { makeScratch, removeScratch, ROOT } from '../../scripts/support/dev-server.ts';
import { projectWrangler, wranglerRunner } from '../../scripts/support/wrangler.ts';
import { ACCOUNT_ID, startFakeCloudflare } from '../support/node/fake-cloudflare.ts';

const PASSPHRASE = 'correct horse battery staple';
/** Beside the real one, since the paths in it are relative; it is not that file that gets the ids. */
const CONFIG = join(ROOT, 'wrangler.test.toml');

test('wrangler deploys to an account on the Free plan that has no Worker yet', async () => {
  await using api = await startFakeCloudflare();
  using scratch = { path: makeScratch(), [Symbol.dispose]: () => removeScratch(scratch.path) };
  using _ = { [Symbol.dispose]: () => rmSync(CONFIG, { force: true }) };
  copyFileSync(join(ROOT, 'wrangler.toml'), CONFIG);
  const environment = {
    PATH: process.env['PATH'],
    HOME: scratch.path,
    XDG_CONFIG_HOME: scratch.path,
    // Wrangler is 15 MB, and six processes read it.
    NODE_COMPILE_CACHE: join(scratch.path, 'compiled'),
    CLOUDFLARE_API_BASE_URL: api.url,
    CLOUDFLARE_API_TOKEN: 'a-token',
    CLOUDFLARE_ACCOUNT_ID: ACCOUNT_ID,
    OWNER_PASSPHRASE: PASSPHRASE,
  };
  const said: string[] = [];
  const verified: object[] = [];

  await deploy({
    config: CONFIG,
    wrangler: (given) => wranglerRunner(projectWrangler(), given),
    environment,
    terminal: {
      isInteractive: false,
      say: (text) => void said.push(text),
      ask: (question) => Promise.reject(new Error(question)),
      askHidden: (question) => Promise.reject(new Error(question)),
    },
    isAgreed: true,
    verify: (origin, { isSetUp }) => {
      verified.push({ origin, isSetUp });
      return Promise.resolve('guarded');
    },
  });

  expect(api.unknown).toEqual([]);
  expect(verified).toEqual([{ origin: 'https://skein.garden.workers.dev', isSetUp: true }]);
  expect(api.secrets).toEqual(new Map([['OWNER_PASSPHRASE', PASSPHRASE]]));
  expect(api.uploaded).toMatchObject({
    bindings: expect.arrayContaining([
      { name: 'OAUTH_KV', type: 'kv_namespace', namespace_id: api.namespaces[0]?.id },
      { name: 'FILES', type: 'r2_bucket', bucket_name: 'skein-files' },
      { name: 'AI', type: 'ai' },
    ]),
    observability: { enabled: true, redact_query_string: true },
  });
  expect(api.crons).toEqual(['17 3 * * *']);
  expect(said.join('\n')).toContain('without limits of its own');
  expect(readFileSync(CONFIG, 'utf8')).toContain(`id = "${api.namespaces[0]?.id}"`);
  expect(existsSync(join(ROOT, 'wrangler.reduced.toml'))).toBe(false);
}, 300_000);
