/**
 * The production environment as `wrangler.toml` has it, its bindings emulated on this machine. Workers
 * AI has no emulation: it is bound, and every call of it fails, as it would when it is down.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PORTFOLIO } from '#tools/core/save-input.ts';
import { verifyDeployment } from '../../scripts/deploy/verify.ts';
import { ROOT, startWranglerDev, type DevServer } from '../../scripts/support/dev-server.ts';

let server: DevServer;
beforeAll(async () => {
  const vars = { OWNER_PASSPHRASE: 'correct horse battery staple' };
  server = await startWranglerDev({ env: 'production', vars });
});
afterAll(() => server[Symbol.asyncDispose]());

test('production refuses strangers in the way that tells a client where to sign in', async () => {
  const response = await fetch(`${server.url}/mcp`, { method: 'POST', body: '{}' });

  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toContain(
    `resource_metadata="${server.url}/.well-known/oauth-protected-resource/mcp"`,
  );
  expect(await response.json()).toMatchObject({ error: { code: 'forbidden' } });
  const metadata = await fetch(`${server.url}/.well-known/oauth-authorization-server`);
  expect(await metadata.json()).toMatchObject({ issuer: server.url });
  expect(await verifyDeployment(server.url, { isSetUp: true }, 0)).toBe('guarded');
});

test('with a token of npm run token, production saves and recalls', async () => {
  const node = join(ROOT, 'node_modules/.bin/node');
  const emulated = ['--env', 'production', '--local', '--persist-to', server.stateDir];
  const command = ['scripts/token.ts', 'create', '--name', 'ci', ...emulated];
  const token = (await promisify(execFile)(node, command, { cwd: ROOT })).stdout.trim();
  const call = async (tool: string, input: object) => {
    const response = await fetch(`${server.url}/api/threads/production-test/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    return { status: response.status, text: await response.text() };
  };

  const saved = await call('save_memory', { entities: PORTFOLIO });
  expect(saved).toMatchObject({ status: 200 });

  const recalled = await call('recall', { query: 'Where does Andrii work?' });
  expect(recalled).toMatchObject({ status: 200, text: expect.stringContaining('Works at Google') });
});
