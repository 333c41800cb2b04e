/** The first page, the pages of addresses that lead nowhere, and how forgiving the address of MCP is. */
import { expect, test } from 'vitest';
import { bearer, makeToken, OAUTH_MODE, ORIGIN, TOKEN_MODE } from '#test/auth.ts';
import { ERAS, fetchWorker, mcpRequest, readMessage } from '#test/mcp.ts';

const BROWSER = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

/** What a reader of the page copies: its blocks of code, without markup. */
async function readBlocks(response: Response): Promise<string[]> {
  const blocks = [...(await response.text()).matchAll(/<pre>([^<]*)<\/pre>/g)];
  return blocks.map(([, text = '']) => text.replaceAll('&quot;', '"').replaceAll('&#39;', "'"));
}

test('the first page of a local server has the address and a line for each client', async () => {
  const page = await fetchWorker('http://localhost:8787/', BROWSER);
  const text = await page.clone().text();
  const [address, claude, ...others] = await readBlocks(page);

  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(address).toBe('http://localhost:8787/mcp');
  expect(claude).toBe('claude mcp add --transport http skein http://localhost:8787/mcp');
  const clients = [...text.matchAll(/<summary>([^<]+)<\/summary>/g)].map(([, name]) => name);
  expect(clients).toEqual([
    'Claude Code',
    'Claude desktop',
    'Codex',
    'Cursor',
    'VS Code',
    'Windsurf',
    'Gemini CLI',
    'MCP Inspector',
  ]);
  expect(others.every((block) => block.includes('http://localhost:8787/mcp'))).toBe(true);
  for (const block of others.filter((one) => one.startsWith('{'))) {
    expect(JSON.parse(block)).toEqual({ mcpServers: { skein: expect.any(Object) } });
  }
  expect(text).toContain('href="/settings"');
  expect(text).not.toContain('skn_');
});

test.each([
  ['oauth', OAUTH_MODE, 'claude mcp add --transport http skein URL'],
  [
    'token',
    TOKEN_MODE,
    'claude mcp add --transport http skein URL --header "Authorization: Bearer skn_…"',
  ],
] as const)(
  'in %s mode the first page tells strangers and the owner the same, and nothing that is stored',
  async (_, mode, line) => {
    const token = await makeToken({ name: 'a token of its own' });
    const strangers = await fetchWorker(`${ORIGIN}/`, BROWSER, mode);
    const owners = await fetchWorker(
      `${ORIGIN}/`,
      { headers: { ...BROWSER.headers, ...bearer(token) } },
      mode,
    );
    const withoutNonce = async (page: Response) =>
      (await page.clone().text()).replaceAll(/nonce="[^"]+"/g, '');

    expect(strangers.status).toBe(200);
    expect(await withoutNonce(owners)).toBe(await withoutNonce(strangers));
    expect(await withoutNonce(strangers)).not.toContain('a token of its own');
    expect(await readBlocks(strangers)).toContain(line.replace('URL', `${ORIGIN}/mcp`));
  },
);

test('the first page is led to HTTPS where credentials are asked for', async () => {
  const http = ORIGIN.replace('https:', 'http:');
  const led = await fetchWorker(`${http}/`, { ...BROWSER, redirect: 'manual' }, OAUTH_MODE);

  expect([led.status, led.headers.get('location')]).toEqual([307, `${ORIGIN}/`]);
});

test.each(['/nowhere', '/mcpp', '/settings', '/.well-known/oauth-authorization-server', '/<b>'])(
  'what is not at %s is a page for a browser and JSON for others',
  async (path) => {
    const page = await fetchWorker(path, BROWSER);
    const json = await fetchWorker(path, { headers: { accept: '*/*' } });

    expect([page.status, json.status]).toEqual([404, 404]);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const text = await page.text();
    expect(text).toContain('href="/"');
    expect(text).not.toContain('<b>');
    expect(await json.json()).toMatchObject({ error: { code: 'not_found' } });
  },
);

test.each(ERAS)('a slash at the end of the address of MCP changes nothing (%s)', async (era) => {
  const args = { name: 'read_graph', arguments: {} };
  for (const path of ['/mcp/home-slash', '/mcp/home-slash/', '/mcp/home-slash/?readonly=1']) {
    const answer = await readMessage(await fetchWorker(path, mcpRequest(era, 'tools/call', args)));

    expect([path, answer.result?._meta?.threadId]).toEqual([path, 'home-slash']);
  }
  const { result } = await readMessage(await fetchWorker('/mcp/', mcpRequest(era, 'tools/list')));
  expect(result?.tools.length).toBeGreaterThan(10);
});

test.each([
  ['/mcp?toolset=all', "'toolset'"],
  ['/mcp/home?read_only=1', "'read_only'"],
  ['/mcp?threadId=home&readonly=1&a=b', "'threadId', 'a'"],
])(
  '%s is refused with the names that it does not know and those that there are',
  async (path, names) => {
    const response = await fetchWorker(path, mcpRequest('modern', 'tools/list'));

    expect(response.status).toBe(400);
    const { error } = await response.json<any>();
    expect(error).toMatchObject({ code: 'invalid_input' });
    expect(error.message).toContain(`does not know: ${names}.`);
    expect(error.hint).toMatch(/toolsets.+readonly.+\/mcp\/<threadId>/);
  },
);

test('the refusal of a parameter does not repeat its value, which may be a secret', async () => {
  const response = await fetchWorker('/mcp?key=skn_secret', mcpRequest('modern', 'tools/list'));

  expect(await response.text()).not.toContain('skn_secret');
});
