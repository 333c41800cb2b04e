/** What `npm run deploy` prints at its end: how each client connects. */
import { connectLines as linesOf, type ClientAccess } from '#http/pages/connect-lines.ts';

/** One line or block a client, under its name; `url` is that of `/mcp`. */
export function connectLines(url: string, kind: Exclude<ClientAccess['kind'], 'open'>): string {
  const blocks = linesOf(url, { kind }).map(
    ({ client, place, text }) => `${client}: ${place}\n${text.replaceAll(/^/gm, '  ')}\n`,
  );
  const token =
    'An API token, which is shown once:\n  npm run token -- create --name laptop --env production\n';
  return [
    `MCP URL: ${url}`,
    '',
    token,
    ...blocks,
    `${url}/my-project instead names the thread, so that no tool asks for a threadId.`,
  ].join('\n');
}
