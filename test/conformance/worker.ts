/** Test only: production's app and handler stack, with the conformance suite's fixtures in it. */
import type { McpServer } from '@modelcontextprotocol/server';
import { createApp } from '#http/app.ts';
import { createServer } from '#mcp/server.ts';
import { fixtureSurface, getFixturePrompt } from './fixtures.ts';

export default createApp({ makeServer: createConformanceServer });

/** Adds the optional features that the suite asks about and Skein does not offer. */
function createConformanceServer(): McpServer {
  const mcp = createServer(fixtureSurface);
  const { server } = mcp;
  server.registerCapabilities({ logging: {} });
  server.setRequestHandler('prompts/get', ({ params }, context) =>
    getFixturePrompt(params.name, params.arguments ?? {}, context),
  );
  // Answered but not declared: without a session nothing could be sent to the subscriber.
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  return mcp;
}
