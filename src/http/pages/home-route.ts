/** The page at `/`: what this is, and how a client connects. It tells nothing of any memory. */
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { html } from 'hono/html';
import { answerClosed, authModeOf, refusePlainText } from '#http/guards/auth-guard.ts';
import { connectBlock } from './page-connect.ts';
import type { GuardedContext } from '#http/context.ts';
import { hostGuard } from '#http/guards/guards.ts';
import { answerPage, type Markup } from './page.ts';
import { limitAddress } from '#http/guards/rate-limit.ts';

export function addHomeRoute(app: Hono<GuardedContext>): void {
  app.use('/', hostGuard(), homeGuard());
  app.get('/', showHome);
}

function homeGuard(): MiddlewareHandler<GuardedContext> {
  return async (context, next) => {
    const mode = authModeOf(context);
    if (mode.mode === 'closed') return answerClosed(context, mode);
    if (mode.mode === 'open') return next();
    return refusePlainText(context) ?? (await limitAddress(context)) ?? next();
  };
}

async function showHome(context: Context<GuardedContext>): Promise<Response> {
  const { mode } = authModeOf(context);
  if (mode === 'closed') throw new Error('The guard answers where nobody is served.');
  const { origin } = new URL(context.req.url);
  return answerPage(context, {
    title: 'Memory for AI agents',
    body: html`<p>
        Skein keeps what agents learn, as a graph of entities, facts and relations. They save and
        search it over <a href="https://modelcontextprotocol.io">MCP</a>, and every change can be
        seen and undone.
      </p>
      <p>${ACCESS[mode]}</p>
      ${connectBlock(origin, { kind: mode })}
      <p class="note">
        Programs without MCP use plain HTTP: <a href="/openapi.json">/openapi.json</a> describes it.
      </p>`,
  });
}

const SETTINGS = html`<a href="/settings">settings</a>`;

/** Who may use the server, by its mode. */
const ACCESS: Record<'open' | 'oauth' | 'token', Markup> = {
  open: html`This server answers this machine alone, and asks for no credential. API tokens and
  connected clients are in the ${SETTINGS}, once it has a passphrase.`,
  oauth: html`Only its owner is served here: a client signs in by OAuth or sends an API token. You
  make tokens and disconnect clients in the ${SETTINGS}.`,
  token: html`Only its owner is served here, by an API token. You make and revoke tokens in the
    ${SETTINGS} if this server has a passphrase, or by <code>npm run token</code>.`,
};
