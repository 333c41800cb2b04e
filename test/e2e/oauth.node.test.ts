/** The clients of both SDKs sign in by themselves, at the server of `npm start`. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import { UnauthorizedError as UnauthorizedErrorV1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT, startDevServer, type DevServer } from '../../scripts/support/dev-server.ts';
import { openOwnerBrowser } from '../support/node/owner-browser.ts';

const PASSPHRASE = 'correct horse battery staple';
const CALLBACK = 'http://127.0.0.1:49152/callback';

let server: DevServer;
beforeAll(async () => {
  server = await startDevServer({ vars: { OWNER_PASSPHRASE: PASSPHRASE } });
});
afterAll(() => server[Symbol.asyncDispose]());

/** What a client keeps between two starts, and where it would have opened a browser. */
class ClientMemory {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = {
    client_name: 'SDK client',
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  opened: URL | undefined;
  kept: { client?: any; tokens?: any; verifier: string; discovery?: any } = { verifier: '' };

  state = () => 'state-of-the-client';
  clientInformation = () => this.kept.client;
  saveClientInformation = (client: unknown) => void (this.kept.client = client);
  tokens = () => this.kept.tokens;
  saveTokens = (tokens: unknown) => void (this.kept.tokens = tokens);
  redirectToAuthorization = (url: URL) => void (this.opened = url);
  saveCodeVerifier = (verifier: string) => void (this.kept.verifier = verifier);
  codeVerifier = () => this.kept.verifier;
  saveDiscoveryState = (discovery: unknown) => void (this.kept.discovery = discovery);
  discoveryState = () => this.kept.discovery;
}

interface McpClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<object>;
  close(): Promise<void>;
}

interface Sdk {
  readonly Unauthorized: new (...args: any[]) => Error;
  /** A transport that keeps in `memory`, and the client connected through it. */
  open(
    memory: ClientMemory,
    url: URL,
  ): {
    connect(): Promise<McpClient>;
    finish(callback: URLSearchParams): Promise<void>;
  };
}

const V1: Sdk = {
  Unauthorized: UnauthorizedErrorV1,
  open(memory, url) {
    const transport = new TransportV1(url, { authProvider: memory as any });
    return {
      async connect() {
        const client = new ClientV1({ name: 'v1', version: '1.0.0' });
        await client.connect(transport as any);
        return client as McpClient;
      },
      finish: (callback) => transport.finishAuth(callback.get('code') ?? ''),
    };
  },
};

const V2: Sdk = {
  Unauthorized: UnauthorizedError,
  open(memory, url) {
    const authProvider = memory as unknown as OAuthClientProvider;
    const transport = new StreamableHTTPClientTransport(url, { authProvider });
    return {
      async connect() {
        const client = new Client({ name: 'v2', version: '1.0.0' });
        await client.connect(transport);
        return client as McpClient;
      },
      finish: (callback) => transport.finishAuth(callback),
    };
  },
};

const SDKS: [string, Sdk][] = [
  ['SDK v1', V1],
  ['SDK v2', V2],
];

test.each(SDKS)(
  'a client of %s finds its way from a refusal to the memory, and stays signed in',
  async (_, sdk) => {
    const memory = new ClientMemory();
    const url = new URL('/mcp/garden', server.url);
    const first = sdk.open(memory, url);
    await expect(first.connect()).rejects.toBeInstanceOf(sdk.Unauthorized);
    expect(memory.opened?.searchParams.get('resource')).toBe(`${server.url}/mcp/garden`);
    expect(memory.opened?.searchParams.get('code_challenge_method')).toBe('S256');

    const answer = { scope: 'memory:write', threads: 'garden' };
    const callback = await openOwnerBrowser(PASSPHRASE).allow(memory.opened!, answer);
    expect(callback.searchParams.get('state')).toBe('state-of-the-client');
    await first.finish(callback.searchParams);

    const client = await sdk.open(memory, url).connect();
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('save_memory');
    expect(names).not.toContain('delete_entities');
    expect(await client.callTool({ name: 'read_graph', arguments: {} })).toMatchObject({
      structuredContent: { entities: [] },
    });
    await client.close();

    // A token that is no good any more is refreshed without asking anybody.
    const before = memory.kept.tokens;
    memory.kept.tokens = { ...before, access_token: 'owner:gone:gone' };
    memory.opened = undefined;
    const again = await sdk.open(memory, url).connect();
    expect((await again.listTools()).tools.length).toBe(names.length);
    await again.close();
    expect(memory.opened).toBeUndefined();
    expect(memory.kept.tokens.refresh_token).not.toBe(before.refresh_token);
  },
);

test('a token of npm run token opens the running server, and is listed and revoked', async () => {
  const runToken = async (...args: string[]) => {
    const command = ['scripts/token.ts', ...args, '--persist-to', server.stateDir];
    const node = join(ROOT, 'node_modules/.bin/node');
    return (await promisify(execFile)(node, command, { cwd: ROOT })).stdout.trim();
  };
  const statusOf = async (token: string, thread: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${server.url}/api/threads/${thread}/health`, { headers })).status;
  };

  const token = await runToken('create', '--name', 'ci', '--scope', 'read', '--threads', 'ci-*');
  expect(token).toMatch(/^skn_[\w-]{43}$/);
  expect([await statusOf(token, 'ci-main'), await statusOf(token, 'other')]).toEqual([200, 403]);
  const listed = await runToken('list');
  expect(listed).toMatch(/^[0-9a-f]{12} {2}ci {2}memory:read {2}ci-\* {2}does not expire$/);
  expect(listed).not.toContain(token);

  await runToken('revoke', listed.slice(0, 12));
  expect(await runToken('list')).toBe('');
  await expect
    .poll(() => statusOf(token, 'ci-main'), { timeout: 60_000, interval: 1_000 })
    .toBe(401);
});

test('the log has no token, no passphrase and no cookie', async () => {
  const memory = new ClientMemory();
  const first = V2.open(memory, new URL('/mcp', server.url));
  await expect(first.connect()).rejects.toBeInstanceOf(UnauthorizedError);
  const callback = await openOwnerBrowser(PASSPHRASE).allow(memory.opened!, {
    scope: 'memory:read',
    threads: '',
  });
  await first.finish(callback.searchParams);

  const log = server.log();

  expect(log).toContain('"event":"sign_in","outcome":"ok"');
  const { access_token, refresh_token } = memory.kept.tokens;
  for (const secret of [
    access_token,
    refresh_token,
    callback.searchParams.get('code'),
    PASSPHRASE,
  ]) {
    expect(secret.length).toBeGreaterThan(20);
    expect(log).not.toContain(secret);
  }
});
