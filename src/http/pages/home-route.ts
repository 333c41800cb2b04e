/**
 * The explorer: its page at `/` and below `/t/`, and its files. The page itself tells nothing of any memory;
 * its script asks for that with the caller's credential. Without script it says how a client connects.
 */
import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import { authModeOf, closedGuard, limitGuard } from '#http/guards/auth-guard.ts';
import { connectBlock } from './page-connect.ts';
import type { GuardedContext } from '#http/context.ts';
import { answerExplorer, EXPLORER_FILES } from './explorer-page.ts';
import { hostGuard, methodGuard } from '#http/guards/guards.ts';
import type { Markup } from './page.ts';

const PAGES = ['/', '/t/:threadId', '/t/:threadId/:view'];

export function addHomeRoute(app: Hono<GuardedContext>): void {
  for (const path of PAGES) {
    app.use(path, hostGuard(), closedGuard(), limitGuard());
    app.get(path, showHome);
  }
  app.use(
    `${EXPLORER_FILES}*`,
    hostGuard(),
    closedGuard(),
    limitGuard(),
    methodGuard('GET', 'Ask with GET.'),
  );
  app.get(`${EXPLORER_FILES}:file`, serveExplorerFile);
}

async function showHome(context: Context<GuardedContext>): Promise<Response> {
  const { mode } = authModeOf(context);
  if (mode === 'closed') throw new Error('The guard answers where nobody is served.');
  const { origin } = new URL(context.req.url);
  return answerExplorer(
    context,
    'Memory for AI agents',
    html`<main>
      <h1>Memory for AI agents</h1>
      <p>
        Skein keeps what agents learn, as a graph of entities, facts and relations. They save and
        search it over <a href="https://modelcontextprotocol.io">MCP</a>, and every change can be
        seen and undone. To see it here, switch scripts on.
      </p>
      <p>${ACCESS[mode]}</p>
      ${connectBlock(origin, { kind: mode })}
      <p class="note">
        Programs without MCP use plain HTTP: <a href="/openapi.json">/openapi.json</a> describes it.
      </p>
    </main>`,
  );
}

/** The content of a name never changes, so that a browser asks for it once. */
async function serveExplorerFile(context: Context<GuardedContext>): Promise<Response> {
  const { pathname } = new URL(context.req.url);
  const file = await context.env.ASSETS.fetch(`http://assets${pathname}`);
  if (!file.ok) return context.notFound();
  return context.newResponse(file.body, {
    headers: {
      'Content-Type': file.headers.get('Content-Type') ?? 'application/octet-stream',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
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
