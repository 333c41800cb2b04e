/**
 * OAuth 2.1, by Cloudflare's provider: metadata, registration, tokens, rotation and revocation. The
 * pages are ours. One server for each origin that a deployment has: its tokens are good there alone.
 */
import {
  OAuthAuthorizationServer,
  type AuthRequest,
  type OAuthHelpers,
} from '@cloudflare/workers-oauth-provider';
import { LRUCache } from 'lru-cache';
import {
  ACCESS_TOKEN_SECONDS,
  GRANT_IDLE_SECONDS,
  GRANTED_CLIENT_SECONDS,
  REGISTRATION_SECONDS,
  REGISTRATIONS_PER_HOUR,
} from './limits.ts';
import { OWNER_SUBJECT } from './principal.ts';
import { BASELINE_SCOPES, SCOPES, type Scope } from './scopes.ts';
import type { ThreadAccess } from './thread-access.ts';

export const AUTHORIZE_PATH = '/authorize';
export const TOKEN_PATH = '/oauth/token';
export const REGISTER_PATH = '/oauth/register';
export const SERVER_METADATA_PATH = '/.well-known/oauth-authorization-server';
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

/** What an owner granted, kept with the grant and encrypted by the tokens made from it. */
export interface GrantProps {
  /** Name of the client, as the owner saw it. */
  readonly client: string;
  readonly threads: ThreadAccess;
}

const ENDPOINT_PATH = '/mcp';
/** The endpoint of all threads, or of one that the path names, percent-encoded. */
const ENDPOINT = /^\/mcp(?:\/([^/]+))?\/?$/;

/** The audience of every token: an MCP endpoint, which covers those below it, and the same memory by HTTP. */
export function resourceOf(origin: string): string {
  return origin + ENDPOINT_PATH;
}

/** Where a client that was refused at `url` finds the metadata of what it asked for. */
export function resourceMetadataUrl({ origin, pathname }: URL): string {
  return origin + RESOURCE_METADATA_PATH + endpointPathOf(pathname);
}

/**
 * RFC 9728, for its own address `url`: of the endpoint that the path goes on with. It names what basic use
 * needs; more is granted on the consent page, or asked for later.
 */
export function resourceMetadata({ origin, pathname }: URL): Record<string, unknown> {
  return {
    // The specification wants the address that the client was given, to the letter.
    resource: origin + endpointPathOf(pathname.slice(RESOURCE_METADATA_PATH.length)),
    authorization_servers: [origin],
    scopes_supported: BASELINE_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Skein',
  };
}

function endpointPathOf(pathname: string): string {
  const segment = ENDPOINT.exec(pathname)?.[1];
  return segment === undefined ? ENDPOINT_PATH : `${ENDPOINT_PATH}/${segment}`;
}

/** The thread that a resource of this origin names; undefined for none, and for what is no endpoint of ours. */
export function threadOfResource(origin: string, resource: string): string | undefined {
  const segment = ENDPOINT.exec(pathOf(origin, resource) ?? '')?.[1];
  if (segment === undefined) return undefined;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/**
 * Has the endpoint of a thread mean the endpoint of all threads in a request for codes or tokens: that is
 * the audience the provider knows, and the grant says which threads it reaches. Whether there was any.
 */
export function generaliseResources(origin: string, fields: URLSearchParams): boolean {
  const asked = fields.getAll('resource');
  const general = asked.map((resource) =>
    ENDPOINT.test(pathOf(origin, resource) ?? '') ? resourceOf(origin) : resource,
  );
  fields.delete('resource');
  for (const resource of general) fields.append('resource', resource);
  return general.some((resource, index) => resource !== asked[index]);
}

/** Undefined for another origin and for what is no URL. */
function pathOf(origin: string, resource: string): string | undefined {
  const url = URL.parse(resource);
  return url?.origin === origin ? url.pathname : undefined;
}

/** By policy and origin: a deployment's own origin and perhaps a few domains. Guards let no other pass. */
const SERVERS = new LRUCache<string, OAuthAuthorizationServer<OAuthEnv>>({ max: 32 });

/** What the provider needs of the bindings. */
interface OAuthEnv {
  readonly OAUTH_KV: KVNamespace;
}

/**
 * How the server of an origin treats clients. `register`: a registration lasts a day. `serve`: the
 * provider renews a registration when its client gets a token, to last while its grants may.
 * `documents`: nobody registers, and a client names a document of its own.
 */
export type ClientPolicy = 'register' | 'serve' | 'documents';

export function authorizationServer(
  origin: string,
  policy: ClientPolicy = 'serve',
): OAuthAuthorizationServer<OAuthEnv> {
  const key = `${policy} ${origin}`;
  const known = SERVERS.get(key);
  if (known !== undefined) return known;
  const server = new OAuthAuthorizationServer<OAuthEnv>({
    issuer: origin,
    resources: [resourceOf(origin)],
    authorizeEndpoint: AUTHORIZE_PATH,
    tokenEndpoint: TOKEN_PATH,
    ...(policy !== 'documents' && { clientRegistrationEndpoint: REGISTER_PATH }),
    clientRegistrationTTL: policy === 'register' ? REGISTRATION_SECONDS : GRANTED_CLIENT_SECONDS,
    clientIdMetadataDocumentEnabled: true,
    scopesSupported: [...SCOPES],
    accessTokenTTL: ACCESS_TOKEN_SECONDS,
    refreshTokenTTL: GRANT_IDLE_SECONDS,
    refreshTokenIdleTTL: GRANT_IDLE_SECONDS,
    // The provider would write to the console what clients sent.
    onError: () => undefined,
  });
  SERVERS.set(key, server);
  return server;
}

/**
 * Whether a request for tokens, or to revoke one, brings something that was made for a grant that
 * there is. Codes and tokens begin with whose grant it is, and which.
 */
export async function namesGrant(kv: KVNamespace, form: URLSearchParams): Promise<boolean> {
  const sent = form.get('code') ?? form.get('refresh_token') ?? form.get('token') ?? '';
  const [subject = '', grantId = '', ...rest] = sent.split(':');
  if (subject !== OWNER_SUBJECT || !/^[\w-]+$/.test(grantId) || rest.length !== 1) return false;
  return (await kv.get(`grant:${subject}:${grantId}`)) !== null;
}

/**
 * Whether a deployment has taken as many registrations within the last hour as it takes: by when
 * their records end, a day after they were written. Reads the list of clients, which may be some
 * seconds old. `now` is in epoch milliseconds.
 */
export async function isRegistrationFull(kv: KVNamespace, now: number): Promise<boolean> {
  const hourAgo = Math.floor(now / 1_000) - 3_600;
  let count = 0;
  for await (const { expiration = 0 } of clientKeys(kv)) {
    const registeredAt = expiration - REGISTRATION_SECONDS;
    // The record of a client that was granted something ends later.
    if (registeredAt > hourAgo && registeredAt <= hourAgo + 2 * 3_600) count++;
  }
  return count >= REGISTRATIONS_PER_HOUR;
}

async function* clientKeys(kv: KVNamespace): AsyncGenerator<KVNamespaceListKey<unknown>> {
  let cursor: string | undefined;
  do {
    // oxlint-disable-next-line no-await-in-loop -- a page names the next one
    const page = await kv.list({ prefix: 'client:', ...(cursor !== undefined && { cursor }) });
    yield* page.keys;
    cursor = page.list_complete ? undefined : page.cursor;
  } while (cursor !== undefined);
}

export interface Approval {
  readonly request: AuthRequest;
  readonly scope: Scope;
  readonly props: GrantProps;
}

/** Where to send the browser. Grants made before stay, since a client may have several connections. */
export async function grantAccess(oauth: OAuthHelpers, approval: Approval): Promise<string> {
  const { request, scope, props } = approval;
  const { redirectTo } = await oauth.completeAuthorization({
    request,
    userId: OWNER_SUBJECT,
    metadata: { ...props, scope },
    scope: [scope],
    props,
    revokeExistingGrants: false,
  });
  return redirectTo;
}
