/** What each client needs in order to connect, to the letter: for the pages and for the command line. */

export type ClientAccess =
  /** On this machine, without a credential. */
  | { readonly kind: 'open' }
  /** The client opens a browser, where the owner signs in. */
  | { readonly kind: 'oauth' }
  /** An API token in a header; a placeholder takes its place where it is left out. */
  | { readonly kind: 'token'; readonly token?: string };

export interface ConnectLine {
  readonly client: string;
  /** Where the text belongs, in one or two sentences. */
  readonly place: string;
  /** To be copied as it is. */
  readonly text: string;
}

const TOKEN_PLACEHOLDER = 'skn_…';
const TERMINAL = 'In a terminal:';

/** One entry a client. `url` is that of `/mcp` or of a thread below it. */
export function connectLines(url: string, access: ClientAccess): readonly ConnectLine[] {
  const token = access.kind === 'token' ? (access.token ?? TOKEN_PLACEHOLDER) : undefined;
  const bearer = token === undefined ? undefined : `Bearer ${token}`;
  const headers = bearer === undefined ? {} : { headers: { Authorization: bearer } };
  const flag = bearer === undefined ? '' : ` --header "Authorization: ${bearer}"`;
  return [
    {
      client: 'Claude Code',
      place:
        access.kind === 'oauth' ? 'In a terminal; then /mcp in Claude Code signs in:' : TERMINAL,
      text: `claude mcp add --transport http skein ${url}${flag}`,
    },
    ...claudeLines(url, access, bearer),
    { client: 'Codex', place: TERMINAL, text: codexLine(url, token) },
    {
      client: 'Cursor',
      place: 'In ~/.cursor/mcp.json:',
      text: json({ mcpServers: { skein: { url, ...headers } } }),
    },
    {
      client: 'VS Code',
      place: TERMINAL,
      text: `code --add-mcp '${JSON.stringify({ name: 'skein', type: 'http', url, ...headers })}'`,
    },
    {
      client: 'Windsurf',
      place: 'In ~/.codeium/windsurf/mcp_config.json:',
      text: json({ mcpServers: { skein: { serverUrl: url, ...headers } } }),
    },
    {
      client: 'Gemini CLI',
      place: TERMINAL,
      text: `gemini mcp add --scope user --transport http${flag} skein ${url}`,
    },
    ...inspectorLines(url, access, flag),
  ];
}

/** Claude's web and desktop apps connect from Anthropic's machines; a local program can stand between. */
function claudeLines(
  url: string,
  { kind }: ClientAccess,
  bearer: string | undefined,
): ConnectLine[] {
  if (kind === 'oauth') {
    return [
      {
        client: 'Claude (web, desktop, mobile)',
        place: 'Customize → Connectors → Add custom connector, with this URL:',
        text: url,
      },
      {
        client: 'ChatGPT',
        place:
          'Settings → Apps → Advanced settings → Developer mode on; then Create app, Authentication OAuth, with this MCP Server URL:',
        text: url,
      },
    ];
  }
  // A space in an argument is lost on some systems, so the value of the header comes by the environment.
  const [args, env] =
    bearer === undefined
      ? [['-y', 'mcp-remote', url], {}]
      : [
          ['-y', 'mcp-remote', url, '--header', 'Authorization:${SKEIN_AUTH}'],
          { env: { SKEIN_AUTH: bearer } },
        ];
  return [
    {
      client: 'Claude desktop',
      place:
        'In claude_desktop_config.json (Settings → Developer → Edit Config). Claude on the web needs a public HTTPS address and a sign-in by OAuth.',
      text: json({ mcpServers: { skein: { command: 'npx', args, ...env } } }),
    },
  ];
}

/** Codex takes a token from the environment alone. */
function codexLine(url: string, token: string | undefined): string {
  const add = `codex mcp add skein --url ${url}`;
  return token === undefined
    ? add
    : `export SKEIN_TOKEN=${token}\n${add} --bearer-token-env-var SKEIN_TOKEN`;
}

/** It reads no answer of a sign-in on the command line, so a token goes with it. */
function inspectorLines(url: string, { kind }: ClientAccess, flag: string): ConnectLine[] {
  const header = kind === 'oauth' ? ` --header "Authorization: Bearer ${TOKEN_PLACEHOLDER}"` : flag;
  return [
    {
      client: 'MCP Inspector',
      place: kind === 'oauth' ? 'In a terminal, with an API token:' : TERMINAL,
      text: `npx @modelcontextprotocol/inspector --cli ${url} --transport http --method tools/list${header}`,
    },
  ];
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
