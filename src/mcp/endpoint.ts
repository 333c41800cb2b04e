/**
 * Answers one MCP request. Everything that loads the SDK is imported from here: the SDK and its schemas are
 * the larger part of what the Worker would evaluate when it starts, and a thread's object never needs them.
 */
import type { McpServer } from '@modelcontextprotocol/server';
import { createServer, serveMcp, type ServeOptions } from './server.ts';
import type { McpSurface } from './surface.ts';
import { threadSurface, type SurfaceOptions } from './thread-surface.ts';

export interface EndpointOptions extends ServeOptions {
  readonly surface: SurfaceOptions;
  /** Makes the server of one request; left out, the one that Skein serves. */
  readonly makeServer?: ((surface: McpSurface) => McpServer) | undefined;
}

export function answerMcp(
  request: Request,
  { surface, makeServer = createServer, ...options }: EndpointOptions,
): Promise<Response> {
  return serveMcp(request, () => makeServer(threadSurface(surface)), options);
}
