/** What a browser shows of a deployment that serves nobody yet. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { answerPage } from './page.ts';

export function closedPage(
  context: Context,
  message: string,
  commands: readonly string[],
): Promise<Response> {
  return answerPage(context, {
    title: 'Not set up yet',
    status: 503,
    body: html`<p>${message} Until then nobody is served, which includes you.</p>
      <p>In the project's directory, run:</p>
      <pre>${commands.join('\n')}</pre>
      <p class="note">
        The passphrase has at least 12 characters; by it you sign in here. To serve API tokens
        alone, set <code>AUTH_MODE</code> to <code>token</code> in <code>wrangler.toml</code>,
        deploy, and run <code>npm run token -- create --name laptop --env production</code>.
      </p>`,
  });
}
