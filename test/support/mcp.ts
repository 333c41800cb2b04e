/** Speaks MCP to the Worker as clients of both eras do: raw messages, and the SDKs' own clients. */
import { createExecutionContext, listDurableObjectIds } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as V1TransportShape } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Env, Vars } from '#env.ts';
import { createApp } from '#http/app.ts';
import { threadObjectName } from '#thread/thread-address.ts';
import { CLIENT_INFO, mcpRequest, MODERN_VERSION, readMessage, type Era } from './mcp-messages.ts';

export {
  ERAS,
  LEGACY_VERSION,
  mcpRequest,
  MODERN_VERSION,
  readEvents,
  readMessage,
  type Era,
} from './mcp-messages.ts';

const BASE_URL = 'http://localhost';
/** A JSON-RPC answer and the status that HTTP gave it: a result or an error, never both. */
export interface RpcAnswer {
  readonly status: number;
  readonly result?: Record<string, any>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: any };
}

export interface Connection {
  request(method: string, params?: Record<string, unknown>): Promise<RpcAnswer>;
  /** The result of a request; throws when the protocol refuses it. */
  ask(method: string, params?: Record<string, unknown>): Promise<Record<string, any>>;
  /** The result of a tool, a failed one included; throws when the protocol refuses the call. */
  callTool(name: string, args?: Record<string, unknown>): Promise<Record<string, any>>;
}

/**
 * Asks the Worker under test; a whole URL asks another host, `bindings` deploy it differently. Calls
 * the app itself: the pool's own `exports.default.fetch` wraps one more proxy around its entrypoint
 * with every request, so that the hundredth takes a hundred times as long as the first.
 */
export async function fetchWorker(
  target: string | URL,
  init: RequestInit = {},
  bindings: Partial<Env> = {},
): Promise<Response> {
  const request = toRequest(target, init);
  const response = await app.fetch(request, { ...env, ...bindings }, createExecutionContext());
  return isStreamed(response) ? response : readWhole(response);
}

/** Tests of these look at how they come. */
function isStreamed({ headers }: Response): boolean {
  return headers.has('content-disposition') || /ndjson/.test(headers.get('content-type') ?? '');
}

/** An answer of MCP that nobody reads to its end keeps the pool from ending its file. */
async function readWhole(response: Response): Promise<Response> {
  const body = await response.arrayBuffer();
  return new Response(body.byteLength === 0 ? null : body, response);
}

/** Requests as a client of that era writes them, with no client in between. */
export function speakMcp(era: Era, path = '/mcp', vars: Vars = {}): Connection {
  const request: Connection['request'] = async (method, params) => {
    const response = await fetchWorker(path, mcpRequest(era, method, params), vars);
    const { result, error } = await readMessage(response);
    return { status: response.status, ...(result && { result }), ...(error && { error }) };
  };
  const ask: Connection['ask'] = async (method, params) => {
    const { result, error } = await request(method, params);
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  return {
    request,
    ask,
    callTool: (name, args = {}) => ask('tools/call', { name, arguments: args }),
  };
}

/** The client of SDK 1.x, which knows no era but the legacy one. */
export async function connectV1Client(path = '/mcp'): Promise<V1Client & AsyncDisposable> {
  const client = new V1Client(CLIENT_INFO);
  const transport = new V1Transport(new URL(path, BASE_URL), { fetch: fetchBinding });
  await client.connect(transport as V1TransportShape);
  return disposable(client);
}

/** The client of SDK 2.x, held to one era. */
export async function connectV2Client(era: Era, path = '/mcp'): Promise<Client & AsyncDisposable> {
  const mode = era === 'modern' ? { pin: MODERN_VERSION } : era;
  const client = new Client(CLIENT_INFO, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(path, BASE_URL), {
    fetch: fetchBinding,
  });
  await client.connect(transport);
  return disposable(client);
}

/** The object of a thread of the local principal, for looking into it. */
export function threadStub(threadId: string): DurableObjectStub {
  return env.THREAD.getByName(threadObjectName({ subject: 'local', threadId }));
}

/** How many threads have ever been woken in this file. */
export async function countThreads(): Promise<number> {
  return (await listDurableObjectIds(env.THREAD)).length;
}

const app = createApp();

/** As a request from outside comes in. The clients take this way, with few requests each. */
function fetchBinding(target: string | URL, init?: RequestInit): Promise<Response> {
  return exports.default.fetch(toRequest(target, init));
}

function toRequest(target: string | URL, init: RequestInit = {}): Request {
  const url = new URL(target, BASE_URL);
  const headers = new Headers(init.headers);
  // A wire always brings one, and the protocol's own check on localhost asks for it.
  if (!headers.has('host')) headers.set('host', url.host);
  return new Request(url, { ...init, headers });
}

function disposable<Client extends { close(): Promise<void> }>(client: Client) {
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}
