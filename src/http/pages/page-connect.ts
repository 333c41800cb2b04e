/** The addresses and lines by which clients connect: on the first page, and beside a new token. */
import { html } from 'hono/html';
import { connectLines, type ClientAccess } from './connect-lines.ts';
import type { Markup } from './page.ts';

/** `origin` is that of the page; a line can be marked whole by one click. */
export function connectBlock(origin: string, access: ClientAccess): Markup {
  const url = `${origin}/mcp`;
  return html`<h2>MCP address</h2>
    <pre>${url}</pre>
    <p class="note">
      <code>${url}/my-project</code> names the thread, so that no tool asks for a threadId. Each
      thread is a memory of its own.
    </p>
    <h2>Connect a client</h2>
    ${connectLines(url, access).map(
      ({ client, place, text }, index) =>
        html`<details ${index === 0 ? 'open' : ''}>
          <summary>${client}</summary>
          <p>${place}</p>
          <pre>${text}</pre>
        </details>`,
    )}`;
}
