/** What strangers may leave in a deployment by registering clients: little, for a day, and not often. */
import { env } from 'cloudflare:workers';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Env } from '#env.ts';
import { connectClient, forgetClients, OAUTH_MODE, ORIGIN, registerClient } from '#test/auth.ts';
import { fetchWorker } from '#test/mcp.ts';

const DAY = 86_400;

beforeEach(forgetClients);
afterAll(forgetClients);

async function register(body: object, bindings: Partial<Env> = OAUTH_MODE) {
  const response = await fetchWorker(
    `${ORIGIN}/oauth/register`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['https://client.example/callback'], ...body }),
    },
    bindings,
  );
  return { status: response.status, text: await response.text() };
}

/** Seconds from now until the record of a client ends. */
async function secondsLeft(clientId: string): Promise<number> {
  const { keys } = await env.OAUTH_KV!.list({ prefix: `client:${clientId}` });
  return (keys[0]?.expiration ?? Number.NaN) - Date.now() / 1_000;
}

test('a registration of more than 4 KiB is refused', async () => {
  const { status, text } = await register({ client_name: 'x'.repeat(4_096) });

  expect(status).toBe(413);
  expect(text).toContain('4 KiB');
});

test('a registration lasts a day, and as long as its grants once the client gets a token', async () => {
  const unused = await registerClient();
  const { clientId } = await connectClient();

  expect(await secondsLeft(unused)).toBeGreaterThan(DAY - 120);
  expect(await secondsLeft(unused)).toBeLessThanOrEqual(DAY + 1);
  expect(await secondsLeft(clientId)).toBeGreaterThan(89 * DAY);
});

test('where registering is switched off, clients name a document of their own', async () => {
  const bindings = { ...OAUTH_MODE, OAUTH_REGISTRATION_ENABLED: 'false' };

  const { status } = await register({}, bindings);
  const response = await fetchWorker(
    `${ORIGIN}/.well-known/oauth-authorization-server`,
    {},
    bindings,
  );

  expect(status).toBe(404);
  const metadata = await response.json<Record<string, unknown>>();
  expect(metadata).not.toHaveProperty('registration_endpoint');
  expect(metadata).toMatchObject({ client_id_metadata_document_supported: true });
});

// The last one: the isolate remembers for a minute that registrations are full.
test('a deployment takes 60 registrations an hour, whatever addresses they come from', async () => {
  const now = Math.floor(Date.now() / 1_000);
  const kv = env.OAUTH_KV!;
  const write = (name: string, expiration: number) =>
    kv.put(`client:${name}`, '{}', { expiration });
  for (let i = 0; i < 59; i++) {
    await write(`last-hour-${i}`, now + DAY - 60);
    await write(`before-${i}`, now + DAY - 3_700);
    await write(`granted-${i}`, now + 90 * DAY);
  }
  expect(await register({})).toMatchObject({ status: 201 });

  const refused = await register({});

  expect(refused).toMatchObject({ status: 429 });
  expect(refused.text).toContain('Too many requests');
});
