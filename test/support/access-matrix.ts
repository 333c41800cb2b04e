/** The routes of memory and the public ones, and what each kind of credential is answered there: for any runtime. */
import type { ApiToken } from '#auth/api-token.ts';
import { bearer } from './bearer.ts';
import { mcpRequest, readMessage } from './mcp-messages.ts';

export const THREAD = 'matrix-reached';
const OTHER_THREAD = 'matrix-not-reached';

/** The least that an import takes. */
const IMPORTED = '{"type":"entity","name":"Ada","entityType":"Person","observations":[]}\n';

/** How a route of memory is asked for a thread. */
export const MEMORY_ROUTES: Record<string, (threadId: string) => [string, RequestInit]> = {
  'ALL /mcp': (threadId) => ['/mcp', callOf({ threadId })],
  'ALL /mcp/:threadId': (threadId) => [`/mcp/${threadId}`, callOf({})],
  'GET /api/threads/:threadId/export': (threadId) => [`/api/threads/${threadId}/export`, {}],
  'GET /api/threads/:threadId/health': (threadId) => [`/api/threads/${threadId}/health`, {}],
  'GET /api/threads/:threadId/verify': (threadId) => [`/api/threads/${threadId}/verify`, {}],
  'GET /api/threads/:threadId/dump': (threadId) => [`/api/threads/${threadId}/dump`, {}],
  'GET /api/threads/:threadId/files': (threadId) => [`/api/threads/${threadId}/files`, {}],
  'GET /api/threads/:threadId/files/:file': (threadId) => [
    `/api/threads/${threadId}/files/none.jsonl`,
    {},
  ],
  'POST /api/threads/:threadId/import': (threadId) => [
    `/api/threads/${threadId}/import`,
    { method: 'POST', body: IMPORTED },
  ],
  'POST /api/threads/:threadId/tools/:tool': (threadId) => [
    `/api/threads/${threadId}/tools/read_graph`,
    { method: 'POST' },
  ],
};

/** Routes that tell nothing of any memory, and what they answer to everybody alike: in `token` and in `oauth` mode. */
export const PUBLIC_ROUTES: Record<string, [string, RequestInit, number, number]> = {
  'GET /': ['/', {}, 200, 200],
  'GET /t/:threadId': ['/t/atlas', {}, 200, 200],
  'GET /t/:threadId/:view': ['/t/atlas/graph', {}, 200, 200],
  'GET /ui/:file': ['/ui/icon.svg', {}, 200, 200],
  'GET /session': ['/session', {}, 200, 200],
  'GET /health': ['/health', {}, 200, 200],
  'GET /openapi.json': ['/openapi.json', {}, 200, 200],
  'ALL /.well-known/oauth-authorization-server': [
    '/.well-known/oauth-authorization-server',
    {},
    404,
    200,
  ],
  'GET /.well-known/oauth-protected-resource': [
    '/.well-known/oauth-protected-resource',
    {},
    404,
    200,
  ],
  'GET /.well-known/oauth-protected-resource/mcp': [
    '/.well-known/oauth-protected-resource/mcp',
    {},
    404,
    200,
  ],
  'GET /.well-known/oauth-protected-resource/mcp/:threadId': [
    '/.well-known/oauth-protected-resource/mcp/atlas',
    {},
    404,
    200,
  ],
  'ALL /oauth/token': ['/oauth/token', { method: 'POST' }, 404, 400],
  'ALL /oauth/register': ['/oauth/register', { method: 'POST' }, 404, 400],
  // Pages want a session, which no bearer token is: they show the form to sign in.
  'GET /authorize': ['/authorize', {}, 404, 200],
  'POST /authorize': ['/authorize', { method: 'POST' }, 404, 403],
  'GET /sign-in': ['/sign-in', {}, 404, 303],
  'GET /sign-out': ['/sign-out', {}, 404, 303],
  'GET /settings/tokens': ['/settings/tokens', {}, 404, 303],
  'GET /settings/tokens/revoke': ['/settings/tokens/revoke', {}, 404, 303],
  'GET /settings/clients/revoke': ['/settings/clients/revoke', {}, 404, 303],
  'POST /sign-in': ['/sign-in', { method: 'POST' }, 404, 403],
  'POST /sign-out': ['/sign-out', { method: 'POST' }, 404, 303],
  'GET /settings': ['/settings', {}, 404, 200],
  'POST /settings/tokens': ['/settings/tokens', { method: 'POST' }, 404, 403],
  'POST /settings/tokens/revoke': ['/settings/tokens/revoke', { method: 'POST' }, 404, 403],
  'POST /settings/clients/revoke': ['/settings/clients/revoke', { method: 'POST' }, 404, 403],
};

/** What a credential is answered: a status, and what the challenge says. */
type Answer = readonly [status: number, challenge: RegExp | null];

/** Routes that change something whatever they are asked. */
export const WRITING = new Set([
  'POST /api/threads/:threadId/import',
  'GET /api/threads/:threadId/dump',
]);

export const UNSUITABLE: Answer = [403, /error="insufficient_scope"/];
export const UNKNOWN: Answer = [401, /error="invalid_token"/];
export const NOBODY: Answer = [401, /^Bearer realm="skein"(?!.*error)/];

/** A kind of credential, and what every route of memory answers it. */
export interface CredentialState {
  headers(): Promise<Record<string, string>>;
  readonly answer: Answer;
}

/** How tokens come into the namespace of the server that is asked. */
export interface TokenBox {
  /** `record` changes what is stored of it. */
  makeToken(record?: Partial<ApiToken>): Promise<string>;
  deleteToken(token: string): Promise<void>;
}

/** No credential, what is none, and API tokens. */
export function tokenStates({ makeToken, deleteToken }: TokenBox): Record<string, CredentialState> {
  return {
    none: { headers: async () => ({}), answer: NOBODY },
    'an empty header': { headers: async () => ({ authorization: '' }), answer: UNKNOWN },
    'another scheme': { headers: async () => ({ authorization: 'Basic YTpi' }), answer: UNKNOWN },
    'a malformed token': { headers: async () => bearer('skn_short'), answer: UNKNOWN },
    'a token of odd signs': { headers: async () => bearer('{"a":\\}'), answer: UNKNOWN },
    'a header of a kilobyte': { headers: async () => bearer('x'.repeat(1_000)), answer: UNKNOWN },
    'a guessed token': { headers: async () => bearer(`skn_${'A'.repeat(43)}`), answer: UNKNOWN },
    'a guessed grant': { headers: async () => bearer('owner:grant:secret'), answer: UNKNOWN },
    'two tokens': {
      headers: async () => ({ authorization: `Bearer ${await makeToken()} ${await makeToken()}` }),
      answer: UNKNOWN,
    },
    'two headers': {
      headers: async () => ({
        authorization: `Bearer ${await makeToken()}, Bearer ${await makeToken()}`,
      }),
      answer: UNKNOWN,
    },
    'a tab before the token': {
      headers: async () => ({ authorization: `Bearer\t${await makeToken()}` }),
      answer: UNKNOWN,
    },
    'a token without a scheme': {
      headers: async () => ({ authorization: await makeToken() }),
      answer: UNKNOWN,
    },
    'a token in other letters': {
      headers: async () => bearer((await makeToken()).toUpperCase()),
      answer: UNKNOWN,
    },
    'a token in a cookie': {
      headers: async () => ({ cookie: `__Host-skein-session=${await makeToken()}` }),
      answer: NOBODY,
    },
    'an expired token': {
      headers: async () => bearer(await makeToken({ expiresAt: Date.now() - 1 })),
      answer: UNKNOWN,
    },
    'a revoked token': {
      async headers() {
        const token = await makeToken();
        await deleteToken(token);
        return bearer(token);
      },
      answer: UNKNOWN,
    },
    'a token of no scope': {
      headers: async () => bearer(await makeToken({ scopes: [] })),
      answer: UNSUITABLE,
    },
    'a token for another thread': {
      headers: async () => bearer(await makeToken({ threads: [OTHER_THREAD, `${THREAD}x*`] })),
      answer: [403, null],
    },
    'a token with a scheme in small letters': {
      headers: async () => ({ authorization: `bearer  ${await makeToken()}` }),
      answer: [200, null],
    },
    'a good token': { headers: async () => bearer(await makeToken()), answer: [200, null] },
    'a token to read': {
      headers: async () => bearer(await makeToken({ scopes: ['memory:read'] })),
      answer: [200, null],
    },
    'a token for this thread': {
      headers: async () => bearer(await makeToken({ threads: [THREAD] })),
      answer: [200, null],
    },
    'a token for its prefix': {
      headers: async () => bearer(await makeToken({ threads: ['matrix-r*'] })),
      answer: [200, null],
    },
  };
}

/** Sends a request of a route; the shape of `fetch`. */
export type Ask = (path: string, init: RequestInit) => Promise<Response>;

/** A tool's refusal of a thread is a result of MCP where the message names the thread: as its status it counts here. */
export async function askMemoryRoute(
  ask: Ask,
  route: string,
  sent: Record<string, string>,
  query: Record<string, string> = {},
): Promise<{ status: number; challenge: string | null }> {
  const [path, init] = MEMORY_ROUTES[route]!(THREAD);
  const headers = { ...headersOf(init), ...sent };
  const response = await ask(`${path}?${new URLSearchParams(query)}`, { ...init, headers });
  const challenge = response.headers.get('www-authenticate');
  if (!route.includes('/mcp') || response.status !== 200) {
    await response.text();
    // There is no file of that name, which is told to nobody but who may read one.
    const isServed = response.status === 404 && route.includes('/files/');
    return { status: isServed ? 200 : response.status, challenge };
  }
  const { result } = await readMessage(response);
  const isForbidden = result.isError === true && result._meta.error.code === 'forbidden';
  return { status: isForbidden ? 403 : 200, challenge };
}

function callOf(args: Record<string, unknown>): RequestInit {
  return mcpRequest('legacy', 'tools/call', { name: 'read_graph', arguments: args });
}

export function headersOf({ headers }: RequestInit): Record<string, string> {
  return Object.fromEntries(new Headers(headers));
}
