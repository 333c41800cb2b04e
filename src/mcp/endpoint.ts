/**
 * Answers one MCP request. Everything that loads the SDK is imported from here: the SDK and its schemas are
 * the larger part of what the Worker would evaluate when it starts, and a thread's object never needs them.
 */
import type { McpServer } from '@modelcontextprotocol/server';
import { nameSome, toLabel } from '#tools/empty-thread.ts';
import { createServer, serveMcp, type ServeOptions } from './server.ts';
import type { McpSurface } from './surface.ts';
import { threadSurface, type SurfaceOptions } from './thread-surface.ts';

export interface EndpointOptions extends ServeOptions {
  readonly surface: SurfaceOptions;
  /** Makes the server of one request; left out, the one that Skein serves. */
  readonly makeServer?: ((surface: McpSurface) => McpServer) | undefined;
}

export async function answerMcp(
  request: Request,
  message: unknown,
  { surface, makeServer = createServer, ...options }: EndpointOptions,
): Promise<Response> {
  const threadsNamed = await nameThreads(message, surface);
  return serveMcp(request, () => makeServer(threadSurface({ ...surface, threadsNamed })), options);
}

/**
 * The threads that a model is told of with its instructions, changed last first. Undefined where the
 * URL names one, where nobody asks for instructions, and where the directory cannot tell.
 */
async function nameThreads(
  message: unknown,
  { threadId, client }: SurfaceOptions,
): Promise<string | undefined> {
  if (threadId !== undefined || !asksForInstructions(message)) return undefined;
  const reached = await client.listThreads();
  if (reached === undefined) return undefined;
  const { threads, total } = reached;
  const labels = new Set(threads.map(({ threadId: id }) => toLabel({ threadId: id })));
  return nameSome([...labels], total - threads.length);
}

/** Of both eras, in a message or in a batch. */
function asksForInstructions(message: unknown): boolean {
  return [message].flat().some((one) => INSTRUCTING.has(Object(one).method));
}

const INSTRUCTING = new Set<unknown>(['initialize', 'server/discover']);
