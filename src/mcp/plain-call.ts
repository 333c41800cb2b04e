/**
 * Answers the message that nearly every request carries, a plain `tools/call` of a client that began
 * with `initialize`, without the SDK: its server, its schemas and its event stream take longer than most
 * tools do. Every other message, and every one with something unusual about it, is left to the SDK.
 */
import type { Tool } from '#tools/define.ts';
import { toToolResult } from './result.ts';
import type { SurfaceOptions } from './thread-surface.ts';

/** Revisions of the protocol that begin with `initialize`. A later one is known by its own headers. */
const VERSIONS = new Set(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']);

/** By these headers, or by a page in a browser, the SDK has more to check. */
const SPECIAL_HEADERS = ['origin', 'mcp-method', 'mcp-name'];

interface PlainCall {
  readonly id: string | number;
  readonly tool: Tool;
  readonly args: Record<string, unknown>;
}

/** Undefined for a message that the SDK is to answer. */
export async function answerPlainCall(
  request: Request,
  message: unknown,
  { selection, threadId, client }: SurfaceOptions,
): Promise<Response | undefined> {
  if (!hasPlainHeaders(request.headers)) return undefined;
  const call = readCall(message, selection.tools);
  if (call === undefined) return undefined;
  const { id, tool, args } = call;
  const reply = await client.call({ tool, args, boundThreadId: threadId });
  const result = toToolResult(tool, reply.outcome, reply.threadId);
  return Response.json({ jsonrpc: '2.0', id, result });
}

function hasPlainHeaders(headers: Headers): boolean {
  const accepted = headers.get('accept') ?? '';
  const version = headers.get('mcp-protocol-version');
  return (
    headers.get('content-type') === 'application/json' &&
    accepted.includes('application/json') &&
    accepted.includes('text/event-stream') &&
    (version === null || VERSIONS.has(version)) &&
    !SPECIAL_HEADERS.some((name) => headers.has(name))
  );
}

/** Undefined unless the message has exactly the fields of a plain call, of a tool that the connection has. */
function readCall(message: unknown, tools: readonly Tool[]): PlainCall | undefined {
  if (!isRecord(message) || !hasOnly(message, ['jsonrpc', 'id', 'method', 'params'])) {
    return undefined;
  }
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !isId(id) || !isRecord(params)) {
    return undefined;
  }
  if (!hasOnly(params, ['name', 'arguments', '_meta'])) return undefined;
  const { name, arguments: args = {}, _meta: meta = {} } = params;
  if (!isPlainMeta(meta)) return undefined;
  const tool = tools.find((candidate) => candidate.name === name);
  return tool !== undefined && isRecord(args) ? { id, tool, args } : undefined;
}

/** False for what the protocol reads there, such as which era the message is of. Clients add their own fields. */
function isPlainMeta(meta: unknown): boolean {
  return (
    isRecord(meta) &&
    Object.entries(meta).every(([field, value]) =>
      field === 'progressToken' ? isId(value) : !field.startsWith('io.modelcontextprotocol/'),
    )
  );
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasOnly(value: Record<string, unknown>, fields: readonly string[]): boolean {
  return Object.keys(value).every((field) => fields.includes(field));
}
