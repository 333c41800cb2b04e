/** What the settings show. */
import { html } from 'hono/html';
import type { ApiTokenRequest } from '#auth/api-token.ts';
import { SCOPE_TITLES, SCOPES, WRITE } from '#auth/scopes.ts';
import { describeThreadAccess, type ThreadAccess } from '#auth/thread-access.ts';
import type { ListedToken } from '#auth/token-store.ts';
import { TOKEN_DAYS_MAX, TOKEN_NAME_CHARS_MAX } from '#auth/limits.ts';
import { toIsoTime } from '#tools/shapes.ts';
import type { Markup } from './page.ts';
import { connectBlock } from './page-connect.ts';

export interface ConnectedClient {
  /** Of the grant. */
  readonly id: string;
  readonly name: string;
  readonly threads: ThreadAccess;
  readonly scope: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** What came of a form. */
export interface SettingsNotice {
  /** A new token, shown this once. */
  readonly token?: string;
  readonly problem?: string;
  /** What was written into the form for a token, so that one mistake does not cost all of it. */
  readonly entered?: ApiTokenRequest;
}

export interface SettingsFacts {
  /** Goes into every form. */
  readonly proof: string;
  readonly tokens: readonly ListedToken[];
  readonly clients: readonly ConnectedClient[];
  readonly notice: SettingsNotice;
  readonly now: number;
  /** Of the page, which clients connect to as well. */
  readonly origin: string;
}

export function settingsBody(facts: SettingsFacts): Markup {
  const { proof, tokens, clients, notice, now } = facts;
  return html`${describeNotice(facts)}
    <h2>API tokens</h2>
    <p class="note">
      For clients that send a header, such as Claude Code, CI and the Messages API.
    </p>
    <ul class="cards">
      ${tokens.map((token) => tokenCard(token, proof, now))}
    </ul>
    ${tokens.length === 0 ? html`<p>There are none.</p>` : ''} ${tokenForm(proof, notice.entered)}
    <h2>Connected clients</h2>
    <p class="note">They signed in by OAuth, and you let them in.</p>
    <ul class="cards">
      ${clients.map((client) => clientCard(client, proof))}
    </ul>
    ${clients.length === 0 ? html`<p>There are none.</p>` : ''}
    <form method="post" action="/sign-out">
      ${hidden('proof', proof)}<button class="quiet">Sign out</button>
    </form>`;
}

function describeNotice({ notice: { token, problem }, origin }: SettingsFacts): Markup | '' {
  if (problem !== undefined) return html`<p class="warning" role="alert">${problem}</p>`;
  if (token === undefined) {
    return html`<p class="note">
      Clients connect to <code>${origin}/mcp</code>; the <a href="/">start page</a> has the line for
      each.
    </p>`;
  }
  return html`<div class="warning" role="status">
      <p>This is the new token. Copy it: it is shown this once, and kept nowhere.</p>
      <pre>${token}</pre>
    </div>
    ${connectBlock(origin, { kind: 'token', token })}`;
}

function tokenCard(
  { id, name, scopes, threads, expiresAt }: ListedToken,
  proof: string,
  now: number,
) {
  const expiry =
    expiresAt === null
      ? 'does not expire'
      : `${expiresAt <= now ? 'expired' : 'expires'} ${toDay(expiresAt)}`;
  return html`<li>
    <strong>${name}</strong> <code>${id}</code> <br />${scopes.join(' ')} ·
    ${describeThreadAccess(threads)} · ${expiry}
    <form method="post" action="/settings/tokens/revoke">
      ${hidden('proof', proof)}${hidden('id', id)}<button class="quiet">Revoke ${name}</button>
    </form>
  </li>`;
}

function clientCard({ id, name, scope, threads, createdAt }: ConnectedClient, proof: string) {
  return html`<li>
    <strong>${name}</strong>
    <br />${scope} · ${describeThreadAccess(threads)} · since ${toDay(createdAt)}
    <form method="post" action="/settings/clients/revoke">
      ${hidden('proof', proof)}${hidden('id', id)}<button class="quiet">Disconnect ${name}</button>
    </form>
  </li>`;
}

const NOTHING_ENTERED: ApiTokenRequest = { name: '', scope: WRITE, threads: '', days: '' };

function tokenForm(proof: string, entered: ApiTokenRequest = NOTHING_ENTERED): Markup {
  return html`<h3>Make a token</h3>
    <form method="post" action="/settings/tokens">
      ${hidden('proof', proof)}
      <label
        >Name, shown in the history
        <input
          type="text"
          name="name"
          required
          maxlength="${TOKEN_NAME_CHARS_MAX}"
          placeholder="claude-code laptop"
          value="${entered.name}"
      /></label>
      <label
        >It may
        <select name="scope">
          ${SCOPES.map(
            (scope) =>
              html`<option value="${scope}" ${scope === entered.scope ? 'selected' : ''}>
                ${SCOPE_TITLES[scope]}
              </option>`,
          )}
        </select></label
      >
      <label
        >Threads, such as atlas, team-*
        <input
          type="text"
          name="threads"
          placeholder="all threads"
          autocapitalize="none"
          value="${entered.threads}"
      /></label>
      <label
        >Days until it expires
        <input
          type="number"
          name="days"
          min="1"
          max="${TOKEN_DAYS_MAX}"
          placeholder="never"
          value="${entered.days}"
      /></label>
      <button>Make a token</button>
    </form>`;
}

function hidden(name: string, value: string): Markup {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

function toDay(time: number): string {
  return toIsoTime(time).slice(0, 10);
}
