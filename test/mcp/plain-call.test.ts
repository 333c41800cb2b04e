import { expect, test } from 'vitest';
import { fetchWorker, LEGACY_VERSION, mcpRequest, readMessage } from '#test/mcp.ts';

const ENDPOINT = '/mcp/plain-call?toolsets=core';
const ADA = { name: 'Ada Lovelace', entityType: 'Person', observations: ['Wrote a program'] };

type Headers = Record<string, string>;

/** A page in a browser, for which the SDK answers. */
const OF_A_PAGE = { origin: 'http://localhost:3000' };

function call(name: string, args: unknown, headers: Headers = {}): Promise<Response> {
  const request = mcpRequest('legacy', 'tools/call', { name, arguments: args }, headers);
  return fetchWorker(ENDPOINT, request);
}

function send(message: unknown, headers: Headers = {}): Promise<Response> {
  const request = mcpRequest('legacy', 'tools/call', {}, headers);
  return fetchWorker(ENDPOINT, { ...request, body: JSON.stringify(message) });
}

test.each<[what: string, tool: string, args: unknown]>([
  ['a tool that finds something', 'open_nodes', { names: [ADA.name, 'Nobody'] }],
  ['a tool with a text of its own', 'recall', { query: 'Who wrote a program?' }],
  ['arguments that are wrong', 'open_nodes', { names: 7, colour: 'red' }],
  ['a thread that is not the one of the connection', 'open_nodes', { threadId: 'x', names: ['a'] }],
  ['an unknown argument', 'open_nodes', { names: [ADA.name], colour: 'red' }],
  ['no arguments', 'get_analytics', undefined],
])('a plain call of %s is answered as the SDK answers it', async (_, tool, args) => {
  await call('create_entities', { entities: [ADA] });

  const plain = await call(tool, args);
  const byTheSdk = await call(tool, args, OF_A_PAGE);

  expect(plain.status).toBe(200);
  expect(plain.headers.get('content-type')).toBe('application/json');
  expect(byTheSdk.headers.get('content-type')).toBe('text/event-stream');
  expect(await readMessage(plain)).toEqual(await readMessage(byTheSdk));
});

test('a call with fields of its client is plain', async () => {
  const meta = { progressToken: 3, 'claudecode/toolUseId': 'toolu_1' };
  const params = { name: 'open_nodes', arguments: { names: [ADA.name] }, _meta: meta };

  const response = await send({ jsonrpc: '2.0', id: 'call-1', method: 'tools/call', params });

  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await readMessage(response)).toMatchObject({ jsonrpc: '2.0', id: 'call-1' });
});

const PARAMS = { name: 'open_nodes', arguments: { names: [ADA.name] } };
const MESSAGE = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: PARAMS };
const ENVELOPE = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };

test.each<[what: string, message: unknown, headers: Headers, status: number]>([
  ['of no known version', MESSAGE, { 'mcp-protocol-version': '1999-01-01' }, 400],
  ['from a client that reads no streams', MESSAGE, { accept: 'application/json' }, 406],
  ['that is not sent as JSON', MESSAGE, { 'content-type': 'text/plain' }, 415],
  ['without a version of JSON-RPC', { ...MESSAGE, jsonrpc: '1.0' }, {}, 400],
  ['with an id that is no whole number', { ...MESSAGE, id: 1.5 }, {}, 400],
  ['with null as its id', { ...MESSAGE, id: null }, {}, 400],
  ['of another era', { ...MESSAGE, params: { ...PARAMS, _meta: ENVELOPE } }, {}, 400],
  ['with headers of another era', MESSAGE, { 'mcp-protocol-version': '2026-07-28' }, 400],
])('the SDK refuses a call %s', async (_, message, headers, status) => {
  const response = await send(message, headers);

  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({
    jsonrpc: '2.0',
    error: { code: expect.any(Number) },
  });
});

test.each<[what: string, params: Record<string, unknown>, message: string]>([
  ['of a tool that nobody has', { ...PARAMS, name: 'no_tool' }, "Unknown tool 'no_tool'."],
  [
    'of a tool of another toolset',
    { ...PARAMS, name: 'create_node' },
    "Unknown tool 'create_node'.",
  ],
  ['whose arguments are a list', { ...PARAMS, arguments: [] }, 'Invalid'],
  ['whose progress token is an object', { ...PARAMS, _meta: { progressToken: {} } }, 'not a valid'],
])('the SDK answers a call %s with an error', async (_, params, text) => {
  const response = await send({ ...MESSAGE, params });

  const { id, error } = await readMessage(response);
  expect({ id, message: error.message }).toEqual({ id: 1, message: expect.stringContaining(text) });
});

test('a batch is answered by the SDK', async () => {
  const response = await send([MESSAGE], { 'mcp-protocol-version': LEGACY_VERSION });

  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(await readMessage(response)).toMatchObject({ id: 1, result: {} });
});
