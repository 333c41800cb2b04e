/** Deployments with credentials, and the credentials to ask them with. */
import { env } from 'cloudflare:workers';
import type { Env } from '#env.ts';
import { keyOfToken, mintToken, type ApiToken } from '#auth/api-token.ts';
import { fetchWorker } from './mcp.ts';

export { bearer } from './bearer.ts';

export const ORIGIN = 'https://skein.example.workers.dev';
/** The same deployment at a second address, of which tokens are not good at the first. */
export const OTHER_ORIGIN = 'https://memory.example.com';
export const PASSPHRASE = 'correct horse battery staple';
export const CALLBACK = 'https://client.example/callback';

/** Counts nothing: what is tested here is not how often. */
const UNLIMITED: RateLimit = { limit: async () => ({ success: true }) };
/** Lets nobody pass. */
export const EXHAUSTED: RateLimit = { limit: async () => ({ success: false }) };

const LIMITS = {
  ADDRESS_LIMIT: UNLIMITED,
  CREDENTIAL_LIMIT: UNLIMITED,
  SUBJECT_LIMIT: UNLIMITED,
  SIGN_IN_LIMIT: UNLIMITED,
};

export const TOKEN_MODE: Partial<Env> = { ...LIMITS, AUTH_MODE: 'token' };
export const OAUTH_MODE: Partial<Env> = {
  ...LIMITS,
  OWNER_PASSPHRASE: PASSPHRASE,
  ALLOWED_HOSTNAMES: new URL(OTHER_ORIGIN).hostname,
};

/** A new API token in the namespace; `record` changes what is stored of it. */
export async function makeToken(record: Partial<ApiToken> = {}): Promise<string> {
  const request = { name: 'tester', scope: 'admin', threads: '', days: '' };
  const minted = await mintToken(request, Date.now());
  await env.OAUTH_KV.put(minted.key, JSON.stringify({ ...minted.record, ...record }));
  return minted.token;
}

export async function deleteToken(token: string): Promise<void> {
  await env.OAUTH_KV.delete(await keyOfToken(token));
}

/** A browser with its cookies, at one address of the deployment. */
export interface Browser {
  readonly origin: string;
  get(path: string): Promise<Response>;
  /** Whatever a form would not send. */
  send(path: string, init: RequestInit): Promise<Response>;
  post(path: string, fields: Record<string, string>, headers?: HeadersInit): Promise<Response>;
}

export function openBrowser(origin = ORIGIN, bindings: Partial<Env> = OAUTH_MODE): Browser {
  const cookies = new Map<string, string>();
  const ask = async (path: string, init: RequestInit) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = new Headers(init.headers);
    headers.set('accept', 'text/html');
    if (cookie !== '') headers.set('cookie', cookie);
    const request = { ...init, headers, redirect: 'manual' } as const;
    const response = await fetchWorker(new URL(path, origin), request, bindings);
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  return {
    origin,
    get: (path) => ask(path, {}),
    send: ask,
    post: (path, fields, headers = { origin }) =>
      ask(path, {
        method: 'POST',
        headers: {
          ...Object.fromEntries(new Headers(headers)),
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams(fields).toString(),
      }),
  };
}

export async function signIn(browser: Browser, next = '/settings'): Promise<Response> {
  return browser.post('/sign-in', { passphrase: PASSPHRASE, next });
}

/** The value of a hidden field in the first form that has it. */
export function hiddenField(page: string, name: string): string {
  const value = new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1];
  if (value === undefined) throw new Error(`The page has no field ${name}:\n${page}`);
  return value.replaceAll('&amp;', '&');
}

/** PKCE, with a verifier that need not be secret here. */
export const VERIFIER = 'v'.repeat(64);

async function challengeOf(verifier: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const text = btoa(String.fromCodePoint(...new Uint8Array(hash)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The id of a client that registered itself. */
export async function registerClient({
  name = 'Test client',
  origin = ORIGIN,
}: { name?: string; origin?: string } = {}): Promise<string> {
  const response = await fetchWorker(
    `${origin}/oauth/register`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: name,
        redirect_uris: [CALLBACK],
        token_endpoint_auth_method: 'none',
      }),
    },
    OAUTH_MODE,
  );
  if (response.status !== 201) throw new Error(await response.text());
  return (await response.json<{ client_id: string }>()).client_id;
}

/** Files share their storage, and a deployment takes a certain number of registrations an hour. */
export async function forgetClients(): Promise<void> {
  const { keys } = await env.OAUTH_KV.list({ prefix: 'client:' });
  await Promise.all(keys.map(({ name }) => env.OAUTH_KV.delete(name)));
}

/** The namespace of credentials, with a count of everything that is asked of it. */
export function countedNamespace(): { readonly kv: KVNamespace; requests: number } {
  const counted = {
    requests: 0,
    kv: new Proxy(env.OAUTH_KV, {
      get(target, property) {
        counted.requests++;
        const value: unknown = Reflect.get(target, property);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
  };
  return counted;
}

export interface AuthorizationParams {
  readonly client_id: string;
  readonly [name: string]: string;
}

/** The path that a client sends the browser to. */
export async function authorizePath(origin: string, params: AuthorizationParams): Promise<string> {
  const query = new URLSearchParams({
    response_type: 'code',
    redirect_uri: CALLBACK,
    state: 'some-state',
    code_challenge: await challengeOf(VERIFIER),
    code_challenge_method: 'S256',
    resource: `${origin}/mcp`,
    ...params,
  });
  return `/authorize?${query}`;
}

export interface ConsentAnswer {
  readonly decision?: 'allow' | 'deny';
  readonly scope?: string;
  readonly threads?: string;
}

/** Where the browser is sent after the owner's answer. The browser must have a session. */
export async function answerConsent(
  browser: Browser,
  path: string,
  { decision = 'allow', scope = 'memory:admin', threads = '' }: ConsentAnswer = {},
): Promise<URL> {
  const page = await (await browser.get(path)).text();
  const response = await browser.post('/authorize', {
    handle: hiddenField(page, 'handle'),
    proof: hiddenField(page, 'proof'),
    decision,
    scope,
    threads,
  });
  const location = response.headers.get('location');
  if (location === null) throw new Error(`${response.status} ${await response.text()}`);
  return new URL(location);
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly expires_in: number;
}

export function askForTokens(
  origin: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetchWorker(
    `${origin}/oauth/token`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    },
    OAUTH_MODE,
  );
}

/** All of the flow: registration, sign-in, consent, tokens. */
export async function connectClient(
  answer: ConsentAnswer & { readonly origin?: string; readonly name?: string } = {},
): Promise<Tokens & { readonly clientId: string }> {
  const { origin = ORIGIN, name = 'Test client' } = answer;
  const clientId = await registerClient({ name, origin });
  const browser = openBrowser(origin);
  await signIn(browser);
  const path = await authorizePath(origin, { client_id: clientId });
  const location = await answerConsent(browser, path, answer);
  const response = await askForTokens(origin, {
    grant_type: 'authorization_code',
    code: location.searchParams.get('code') ?? '',
    redirect_uri: CALLBACK,
    client_id: clientId,
    code_verifier: VERIFIER,
  });
  if (response.status !== 200) throw new Error(await response.text());
  return { ...(await response.json<Tokens>()), clientId };
}
