/** The owner's settings: API tokens and connected clients, made and revoked in a browser. */
import type { Context, Hono } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { ApiTokenRequest } from '#auth/api-token.ts';
import { forgetCredentials } from '#auth/authenticate.ts';
import { authorizationServer } from '#auth/authorization-server.ts';
import { OWNER_SUBJECT } from '#auth/principal.ts';
import { formProof, openSealed, sealText, type Session } from '#auth/session.ts';
import { createToken, listTokens, revokeToken } from '#auth/token-store.ts';
import { MemoryError } from '#errors.ts';
import type { GuardedContext } from '#http/context.ts';
import { readForm } from '#http/guards/form-guards.ts';
import {
  fieldOf,
  ownerAccess,
  ownerGuards,
  requireFormProof,
  requireOwnForm,
  sessionOf,
  signInPage,
  toSettings,
} from '#http/guards/owner.ts';
import { answerPage } from '#http/pages/page.ts';
import {
  settingsBody,
  type ConnectedClient,
  type SettingsNotice,
} from '#http/pages/page-settings.ts';

export function addSettingsRoutes(app: Hono<GuardedContext>): void {
  app.use('/settings/*', ...ownerGuards());
  app.get('/settings', showSettings);
  for (const path of ['/settings/tokens', '/settings/tokens/revoke', '/settings/clients/revoke']) {
    app.get(path, toSettings);
  }
  app.post('/settings/tokens', (context) => change(context, addToken));
  app.post('/settings/tokens/revoke', (context) => change(context, removeToken));
  app.post('/settings/clients/revoke', (context) => change(context, removeClient));
}

async function showSettings(context: Context<GuardedContext>): Promise<Response> {
  const session = await sessionOf(context);
  if (session === undefined) return signInPage(context, '/settings');
  const token = await takeNewToken(context, session);
  return settingsPage(context, session, token === undefined ? {} : { token });
}

/**
 * A new token on its way from the form to the page that shows it, so that reading that page again makes
 * none and shows none. The browser carries it: the server keeps it nowhere.
 */
const NEW_TOKEN_COOKIE = '__Secure-skein-new-token';
const NEW_TOKEN_SECONDS = 60;
const COOKIE = { path: '/settings', secure: true, httpOnly: true, sameSite: 'Strict' } as const;

async function takeNewToken(
  context: Context<GuardedContext>,
  session: Session,
): Promise<string | undefined> {
  const sealed = getCookie(context, NEW_TOKEN_COOKIE);
  if (sealed === undefined) return undefined;
  deleteCookie(context, NEW_TOKEN_COOKIE, COOKIE);
  return openSealed(session, sealed);
}

/** What a form asks for. Gives the token that it made, if any. */
type Change = (
  context: Context<GuardedContext>,
  form: FormData,
) => Promise<Pick<SettingsNotice, 'token'>>;

async function change(context: Context<GuardedContext>, make: Change): Promise<Response> {
  requireOwnForm(context);
  const session = await sessionOf(context);
  if (session === undefined) return signInPage(context, '/settings');
  const form = await readForm(context);
  await requireFormProof(session, fieldOf(form, 'proof'));
  try {
    const notice = await make(context, form);
    if (notice.token !== undefined) {
      const sealed = await sealText(session, notice.token);
      setCookie(context, NEW_TOKEN_COOKIE, sealed, { ...COOKIE, maxAge: NEW_TOKEN_SECONDS });
    }
    return context.redirect('/settings', 303);
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    const problem = `${error.message} ${error.hint ?? ''}`;
    return settingsPage(context, session, { problem, entered: readTokenRequest(form) }, 400);
  }
}

const addToken: Change = async (context, form) => {
  const token = await createToken(namespaceOf(context), readTokenRequest(form), Date.now());
  return { token };
};

function readTokenRequest(form: FormData): ApiTokenRequest {
  return {
    name: fieldOf(form, 'name'),
    scope: fieldOf(form, 'scope'),
    threads: fieldOf(form, 'threads'),
    days: fieldOf(form, 'days'),
  };
}

const removeToken: Change = async (context, form) => {
  await revokeToken(namespaceOf(context), fieldOf(form, 'id'));
  forgetCredentials();
  return {};
};

const removeClient: Change = async (context, form) => {
  const id = fieldOf(form, 'id');
  if (!/^[\w-]+$/.test(id)) throw new MemoryError('invalid_input', 'There is no such client.');
  await helpers(context).revokeGrant(id, OWNER_SUBJECT);
  forgetCredentials();
  return {};
};

async function settingsPage(
  context: Context<GuardedContext>,
  session: Session,
  notice: SettingsNotice,
  status: 200 | 400 = 200,
): Promise<Response> {
  const [proof, tokens, clients] = await Promise.all([
    formProof(session),
    listTokens(namespaceOf(context)),
    listClients(context),
  ]);
  return answerPage(context, {
    title: 'Settings',
    status,
    body: settingsBody({
      proof,
      tokens,
      clients,
      notice,
      now: Date.now(),
      origin: new URL(context.req.url).origin,
    }),
  });
}

/** What was granted by OAuth and not revoked, in whatever mode the deployment is now. */
async function listClients(context: Context<GuardedContext>): Promise<ConnectedClient[]> {
  const { items } = await helpers(context).listUserGrants(OWNER_SUBJECT, { limit: 100 });
  return items.map(({ id, metadata, scope, createdAt }) => ({
    id,
    name: String(metadata?.client ?? 'unknown'),
    threads: metadata?.threads ?? null,
    scope: scope.join(' '),
    createdAt: createdAt * 1_000,
  }));
}

function helpers(context: Context<GuardedContext>) {
  const { origin } = new URL(context.req.url);
  return authorizationServer(origin).getOAuthApi({ OAUTH_KV: namespaceOf(context) });
}

function namespaceOf(context: Context<GuardedContext>): KVNamespace {
  const access = ownerAccess(context);
  if (access === undefined) throw new Error('The guard lets nobody here without a namespace.');
  return access.kv;
}
