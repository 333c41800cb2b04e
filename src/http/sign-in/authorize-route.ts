/** The page on which the owner lets a client in: who it is, what it may do, which threads it reaches. */
import {
  AuthorizationError,
  authorizationErrorRedirect,
  CimdFetchError,
  type AuthRequest,
  type ConsentDescription,
  type OAuthHelpers,
} from '@cloudflare/workers-oauth-provider';
import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import { actorOfClient } from '#auth/actor.ts';
import {
  AUTHORIZE_PATH,
  authorizationServer,
  generaliseResources,
  grantAccess,
  threadOfResource,
} from '#auth/authorization-server.ts';
import {
  BASELINE_SCOPES,
  knownScopes,
  SCOPE_NOTES,
  SCOPE_TITLES,
  SCOPES,
  widestScope,
  WRITE,
  type Scope,
} from '#auth/scopes.ts';
import { formProof, type Session } from '#auth/session.ts';
import { parseThreadAccess } from '#auth/thread-access.ts';
import { MemoryError, quote } from '#errors.ts';
import { parseThreadId } from '#thread/thread-address.ts';
import type { GuardedContext } from '#http/context.ts';
import { formBodyGuard, readForm } from '#http/guards/form-guards.ts';
import { hostGuard } from '#http/guards/guards.ts';
import { oauthGuard, withNamespace } from './oauth-routes.ts';
import {
  fieldOf,
  requireFormProof,
  requireOwnForm,
  sessionOf,
  signInPage,
} from '#http/guards/owner.ts';
import { answerPage, type Markup } from '#http/pages/page.ts';

export function addAuthorizeRoute(app: Hono<GuardedContext>): void {
  app.use(AUTHORIZE_PATH, hostGuard(), oauthGuard(), formBodyGuard());
  app.get(AUTHORIZE_PATH, (context) => explain(context, () => askOwner(context)));
  app.post(AUTHORIZE_PATH, (context) => explain(context, () => takeAnswer(context)));
}

/** Nothing of a stranger's request is looked at, nor any document fetched, before the owner signed in. */
async function askOwner(context: Context<GuardedContext>): Promise<Response> {
  const { pathname, search } = new URL(context.req.url);
  const session = await sessionOf(context);
  if (session === undefined) return signInPage(context, pathname + search);
  const oauth = helpers(context);
  const request = await oauth.parseAuthRequest(toAuthRequest(context.req.raw));
  if (request.codeChallenge === undefined || request.codeChallengeMethod !== 'S256') {
    const text = 'PKCE with code_challenge_method S256 is required';
    return context.redirect(authorizationErrorRedirect(request, 'invalid_request', text));
  }
  return consentPage(context, session, request, oauth);
}

/** The same request, for the resource that the provider knows. */
function toAuthRequest(request: Request): Request {
  const url = new URL(request.url);
  return generaliseResources(url.origin, url.searchParams) ? new Request(url, request) : request;
}

/** The thread to whose endpoint the client connects; empty where it named none, or what is no thread. */
function askedThread({ req }: Context<GuardedContext>): string {
  const { origin, searchParams } = new URL(req.url);
  const named = searchParams
    .getAll('resource')
    .flatMap((resource) => threadOfResource(origin, resource) ?? []);
  try {
    return named[0] === undefined ? '' : parseThreadId(named[0]);
  } catch {
    return '';
  }
}

async function takeAnswer(context: Context<GuardedContext>): Promise<Response> {
  requireOwnForm(context);
  const session = await sessionOf(context);
  if (session === undefined) return signInPage(context, '/settings');
  const form = await readForm(context);
  await requireFormProof(session, fieldOf(form, 'proof'));
  const oauth = helpers(context);
  const handle = fieldOf(form, 'handle');
  if (fieldOf(form, 'decision') !== 'allow') {
    return redirect((await oauth.denyConsent(context.req.raw, handle)).headers);
  }
  const scope = readScope(fieldOf(form, 'scope'));
  const threads = parseThreadAccess(fieldOf(form, 'threads'));
  const { request, headers } = await oauth.approveConsent(context.req.raw, handle, {
    scope: [scope],
  });
  const { clientName } = await oauth.describeConsent(request);
  const props = { client: actorOfClient(clientName), threads };
  headers.set('Location', await grantAccess(oauth, { request, scope, props }));
  return redirect(headers);
}

function helpers({ req, env }: Context<GuardedContext>): OAuthHelpers {
  return authorizationServer(new URL(req.url).origin).getOAuthApi(withNamespace(env));
}

async function consentPage(
  context: Context<GuardedContext>,
  session: Session,
  request: AuthRequest,
  oauth: OAuthHelpers,
): Promise<Response> {
  const client = await oauth.describeConsent(request);
  const { handle, headers } = await oauth.beginConsent(request);
  const proof = await formProof(session);
  const thread = askedThread(context);
  return answerPage(context, {
    title: `Let ${actorOfClient(client.clientName)} use your memory?`,
    headers,
    formTarget: formTarget(client.redirectUri),
    body: html`${describeClient(client)}
      <form method="post" action="${AUTHORIZE_PATH}">
        <input type="hidden" name="handle" value="${handle}" />
        <input type="hidden" name="proof" value="${proof}" />
        <fieldset>
          <legend>It may</legend>
          ${scopeChoices(client.scope)}
        </fieldset>
        <label
          >Threads it reaches
          <input
            type="text"
            name="threads"
            placeholder="all threads"
            autocapitalize="none"
            value="${thread}"
        /></label>
        <p class="note">
          ${thread === '' ? '' : html`It connects to the thread <code>${thread}</code>. `}Leave this
          empty for all threads, or name some, such as <code>atlas, team-*</code>.
        </p>
        <button name="decision" value="allow">Allow</button>
        <button name="decision" value="deny" class="quiet">Deny</button>
      </form>`,
  });
}

/**
 * Browsers hold every redirect after a form to its policy. Clients lead on from their address to a
 * page of theirs, which may be of another host. For a host of IPv6 a policy has no word.
 */
function formTarget(redirectUri: string): string {
  const { protocol, hostname, origin } = new URL(redirectUri);
  if (protocol === 'https:') return 'https:';
  return hostname.startsWith('[') ? 'http: https:' : `${origin} https:`;
}

function describeClient(client: ConsentDescription): Markup {
  const { clientName, clientDomain, redirectHost, redirectIsLoopback } = client;
  return html`<p>
      ${
        clientDomain === undefined
          ? html`It calls itself <strong><bdi>${actorOfClient(clientName)}</bdi></strong
              >; nobody has verified that.`
          : html`It is published by <strong>${clientDomain}</strong>.`
      }
      Access is sent to <strong>${redirectHost}</strong>.
    </p>
    ${
      redirectIsLoopback
        ? html`<p class="warning">
            This gives access to a program on your computer. Go on only if you have just started to
            connect it.
          </p>`
        : ''
    }`;
}

/** What was asked for is chosen already, or what remembering takes if nothing was. */
function scopeChoices(asked: readonly string[]): Markup[] {
  const chosen = widestScope(knownScopes(asked)) ?? widestScope(BASELINE_SCOPES) ?? WRITE;
  return SCOPES.map(
    (scope) =>
      html`<label class="choice"
        ><input type="radio" name="scope" value="${scope}" ${scope === chosen ? 'checked' : ''} />
        <span
          >${SCOPE_TITLES[scope]} <code>${scope}</code><br /><small
            >${SCOPE_NOTES[scope]}</small
          ></span
        ></label
      >`,
  );
}

function readScope(value: string): Scope {
  const [scope] = knownScopes([value]);
  if (scope !== undefined) return scope;
  throw new MemoryError('invalid_input', `${quote(value)} is no scope.`);
}

function redirect(headers: Headers): Response {
  return new Response(null, { status: 302, headers });
}

/** The client is told only once its address is verified; what fails before is shown here. */
async function explain(
  context: Context<GuardedContext>,
  serve: () => Promise<Response>,
): Promise<Response> {
  try {
    return await serve();
  } catch (error) {
    if (error instanceof AuthorizationError && error.redirectTo !== undefined) {
      return context.redirect(error.redirectTo);
    }
    const text = describe(error);
    if (text === undefined) throw error;
    return answerPage(context, {
      title: 'This cannot go on',
      status: error instanceof MemoryError && error.code === 'forbidden' ? 403 : 400,
      body: html`<p>${text}</p>
        <p class="note">Nothing was granted. Start again from the application.</p>`,
    });
  }
}

function describe(error: unknown): string | undefined {
  if (error instanceof AuthorizationError) return error.description;
  if (error instanceof CimdFetchError) {
    return "The application's description of itself could not be read.";
  }
  if (error instanceof MemoryError) return `${error.message} ${error.hint ?? ''}`;
  return undefined;
}
