/** What each client is to be told, to the letter. */

export type CredentialKind =
  /** The client opens a browser, where the owner signs in. */
  | 'oauth'
  /** An API token in a header, where OAuth is not served. */
  | 'token';

const TOKEN = 'skn_…';

/** One line or block a client, under its name; `url` is that of `/mcp`. */
export function connectLines(url: string, kind: CredentialKind): string {
  const lines = kind === 'oauth' ? oauthLines(url) : tokenLines(url);
  const thread = `${url}/my-project`;
  return [
    `MCP URL: ${url}`,
    '',
    ...lines.map(([client, line]) => `${client}\n${line.replaceAll(/^/gm, '  ')}\n`),
    `${thread} instead names the memory, so that no tool asks for a threadId.`,
  ].join('\n');
}

function oauthLines(url: string): [client: string, line: string][] {
  return [
    [
      'Claude (web, desktop, mobile)',
      `Settings → Connectors → Add custom connector → Name: Skein, Remote MCP server URL: ${url}`,
    ],
    [
      'Claude Code (then /mcp inside of it, to sign in)',
      `claude mcp add --transport http skein ${url}`,
    ],
    ['Cursor (~/.cursor/mcp.json)', json({ mcpServers: { skein: { url } } })],
    ['VS Code', vsCode({ name: 'skein', type: 'http', url })],
    [
      'ChatGPT',
      `Settings → Apps → Advanced settings → Developer mode: on; then Create app → MCP Server URL: ${url}, Authentication: OAuth`,
    ],
    ['MCP Inspector', inspector(url)],
  ];
}

function tokenLines(url: string): [client: string, line: string][] {
  const headers = { Authorization: `Bearer ${TOKEN}` };
  return [
    ['A token, which is shown once', createToken('laptop')],
    [
      'Claude Code',
      `claude mcp add --transport http skein ${url} --header "Authorization: Bearer ${TOKEN}"`,
    ],
    ['Cursor (~/.cursor/mcp.json)', json({ mcpServers: { skein: { url, headers } } })],
    ['VS Code', vsCode({ name: 'skein', type: 'http', url, headers })],
    ['MCP Inspector', inspector(url)],
    ['Claude (web, desktop, mobile) and ChatGPT', 'They need OAuth: let AUTH_MODE be empty.'],
  ];
}

function createToken(name: string): string {
  return `npm run token -- create --name ${name} --env production`;
}

function inspector(url: string): string {
  return `${createToken('inspector')}
npx @modelcontextprotocol/inspector --cli ${url} --transport http --method tools/list --header "Authorization: Bearer ${TOKEN}"`;
}

function vsCode(server: object): string {
  return `code --add-mcp '${JSON.stringify(server)}'`;
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
