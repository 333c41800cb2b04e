/**
 * Speaks MCP for a surface, statelessly and in both eras: `initialize` clients (2024-11-05 to
 * 2025-11-25) and per-request clients (2026-07-28) are served by one endpoint.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { createMcpHandler } from 'agents/mcp/server';
import { REQUEST_BODY_BYTES_MAX } from '#limits.ts';
import { SERVER_INFO } from './server-info.ts';
import type { McpSurface } from './surface.ts';

export interface ServeOptions {
  /** Exact path of the endpoint, percent-encoded as the request has it. */
  readonly route: string;
  /** Hosts that browsers may call from. A request without `Origin` is not a browser's. */
  readonly allowedOriginHostnames: readonly string[];
  /** Called with whatever the protocol refuses, clients' mistakes included. */
  onError(error: Error): void;
}

/** A new server for one request; the low-level handlers keep our schemas and messages unchanged. */
export function createServer(surface: McpSurface): McpServer {
  const mcp = new McpServer(SERVER_INFO, {
    instructions: surface.instructions,
    // Lists change by deployment alone, and no stream outlives its request: nothing is notified.
    capabilities: {
      tools: { listChanged: false },
      resources: { listChanged: false },
      prompts: { listChanged: false },
      completions: {},
    },
  });
  const { server } = mcp;
  server.setRequestHandler('tools/list', () => ({ tools: [...surface.tools] }));
  server.setRequestHandler('tools/call', ({ params }, context) =>
    surface.callTool(params.name, params.arguments ?? {}, context),
  );
  server.setRequestHandler('resources/list', () => ({ resources: [...surface.resources] }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [...surface.resourceTemplates],
  }));
  server.setRequestHandler('resources/read', ({ params }) => surface.readResource(params.uri));
  server.setRequestHandler('prompts/list', () => ({ prompts: [...surface.prompts] }));
  server.setRequestHandler('prompts/get', ({ params }) =>
    surface.getPrompt(params.name, params.arguments ?? {}),
  );
  server.setRequestHandler('completion/complete', ({ params }) => surface.complete(params));
  return mcp;
}

/** Answers one HTTP request; `makeServer` is called once for it. */
export function serveMcp(
  request: Request,
  makeServer: () => McpServer,
  options: ServeOptions,
): Promise<Response> {
  const handler = createMcpHandler(makeServer, {
    route: options.route,
    allowedOriginHostnames: [...options.allowedOriginHostnames],
    maxRequestBodySize: REQUEST_BODY_BYTES_MAX,
    onerror: options.onError,
  });
  return handler.fetch(request);
}
