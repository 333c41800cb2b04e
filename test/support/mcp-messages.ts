/** The messages of MCP as clients of both eras write and read them, for any runtime. */

/** `legacy` clients begin with `initialize`; `modern` ones introduce themselves in every request. */
export type Era = 'legacy' | 'modern';

export const ERAS: readonly Era[] = ['legacy', 'modern'];
export const LEGACY_VERSION = '2025-11-25';
export const MODERN_VERSION = '2026-07-28';

export const CLIENT_INFO = { name: 'skein-tests', version: '1.0.0' };

/** The request that carries one message; `headers` come on top of what the era prescribes. */
export function mcpRequest(
  era: Era,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): RequestInit & { body: string } {
  const isModern = era === 'modern';
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(isModern ? modernHeaders(method, params) : legacyHeaders(method)),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: isModern ? { ...params, _meta: ENVELOPE } : params,
    }),
  };
}

/** The message of an answer, whether it came as JSON or as the one event of a stream. */
export async function readMessage(response: Response): Promise<Record<string, any>> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const messages = isStream ? await readEvents(response) : [await response.json()];
  const [message] = messages;
  if (messages.length !== 1) throw new Error(`Expected one message, got ${messages.length}.`);
  return message as Record<string, any>;
}

/** Every message of a stream that the server has closed. */
export async function readEvents(response: Response): Promise<Record<string, any>[]> {
  const lines = (await response.text()).split('\n');
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trim());
  return data.filter((text) => text !== '').map((text) => JSON.parse(text));
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
};

function legacyHeaders(method: string): Record<string, string> {
  return method === 'initialize' ? {} : { 'mcp-protocol-version': LEGACY_VERSION };
}

/** `Mcp-Name` repeats the name or the URI that the body asks for. */
function modernHeaders(method: string, params: Record<string, unknown>): Record<string, string> {
  const name = params['name'] ?? params['uri'];
  return {
    'mcp-protocol-version': MODERN_VERSION,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': encodeHeader(name) }),
  };
}

/** In Base64 where a header could not carry the value as it is. */
function encodeHeader(value: string): string {
  if (/^[!-~]([ -~]*[!-~])?$/.test(value)) return value;
  const bytes = new TextEncoder().encode(value);
  return `=?base64?${btoa(String.fromCodePoint(...bytes))}?=`;
}
