/** The routes. What they answer is made elsewhere; what they refuse, they refuse in one shape. */
import type { McpServer } from '@modelcontextprotocol/server';
import { Hono, type Context } from 'hono';
import { authenticate } from '#auth/principal.ts';
import { readLimits, type Env } from '#env.ts';
import { MemoryError } from '#errors.ts';
import { createServer, SERVER_INFO, serveMcp } from '#mcp/server.ts';
import type { McpSurface } from '#mcp/surface.ts';
import { threadSurface } from '#mcp/thread-surface.ts';
import { logBug, logProtocol } from '#thread/log.ts';
import { openThread, parseThreadId } from '#thread/thread-client.ts';
import { selectTools } from '#tools/catalog.ts';
import { errorResponse } from './error-response.ts';
import { serveExport } from './export.ts';
import { serveFile } from './files.ts';
import { serveHealth } from './health.ts';
import { serveImport } from './import.ts';
import { serveVerify } from './verify.ts';
import { serveOpenApi } from './openapi-route.ts';
import { isSwitchedOn } from './switches.ts';
import { serveToolCall, TOOL_ROUTE } from './tools-route.ts';
import {
  allowedOriginHostnames,
  crossOrigin,
  hostGuard,
  methodGuard,
  originGuard,
  sizeGuard,
} from './guards.ts';

const IMPORT_ROUTE = '/api/threads/:threadId/import';
const FILE_ROUTE = '/api/threads/:threadId/files/:file';

type AppContext = Context<{ Bindings: Env }>;

export interface AppOptions {
  /** Makes the server of one request; the conformance suite adds its fixtures here. */
  readonly makeServer?: (surface: McpSurface) => McpServer;
}

export function createApp({ makeServer = createServer }: AppOptions = {}): Hono<{ Bindings: Env }> {
  const app = new Hono<{ Bindings: Env }>();
  const serve = (context: AppContext) => serveEndpoint(context, makeServer);

  /** Answers without waking a thread. */
  app.get('/health', (context) =>
    context.json({ status: 'ok', name: SERVER_INFO.name, version: SERVER_INFO.version }),
  );

  const guards = (method: 'GET' | 'POST', methodHint: string) => [
    hostGuard(),
    originGuard(),
    crossOrigin(method),
    sizeGuard(),
    methodGuard(method, methodHint),
  ];
  // The endpoints keep no sessions and open no streams of their own.
  const mcpGuards = guards('POST', 'Send each MCP message as a POST.');
  app.use('/mcp', ...mcpGuards);
  app.use('/mcp/*', ...mcpGuards);
  app.use('/openapi.json', ...guards('GET', 'Ask with GET.'));
  /** A stream, which has a limit of its own: before the guards of what is read alone. */
  app.use(
    IMPORT_ROUTE,
    hostGuard(),
    originGuard(),
    crossOrigin('POST'),
    methodGuard('POST', 'Send the file as the body of a POST.'),
  );
  app.post(IMPORT_ROUTE, serveImport);
  app.use('/api/threads/:threadId/:resource', ...guards('GET', 'Ask with GET.'));
  app.use(FILE_ROUTE, ...guards('GET', 'Ask with GET.'));
  app.use(
    TOOL_ROUTE,
    ...guards('POST', 'Call a tool by POST, with its arguments as a JSON object.'),
  );
  /** The tool argument `threadId` names the thread. */
  app.all('/mcp', serve);
  /** The URL names the thread. */
  app.all('/mcp/:threadId', serve);
  app.get('/api/threads/:threadId/export', serveExport);
  app.get('/api/threads/:threadId/health', serveHealth);
  app.get(FILE_ROUTE, serveFile);
  app.get('/api/threads/:threadId/verify', serveVerify);
  app.post(TOOL_ROUTE, serveToolCall);
  app.get('/openapi.json', serveOpenApi);

  app.notFound((context) =>
    errorResponse(context, {
      code: 'not_found',
      message: `Nothing is served at ${context.req.path.slice(0, 80)}.`,
      hint: 'Connect an MCP client to /mcp or /mcp/<threadId>; /openapi.json describes everything else.',
    }),
  );
  app.onError((error, context) => {
    if (error instanceof MemoryError) return errorResponse(context, error.toData());
    const reference = crypto.randomUUID().slice(0, 8);
    logBug(reference, error);
    return errorResponse(context, {
      code: 'internal',
      message: `Internal error (reference ${reference}).`,
    });
  });
  return app;
}

function serveEndpoint(
  context: AppContext,
  makeServer: (surface: McpSurface) => McpServer,
): Promise<Response> {
  const { env, req } = context;
  const { pathname, searchParams } = new URL(req.url);
  const isPreflight = req.method === 'OPTIONS';
  const { subject } = isPreflight ? { subject: '' } : authenticate(req.raw);
  const named = req.param('threadId');
  const isReadonly = isSwitchedOn('readonly', searchParams.get('readonly') ?? undefined);
  const surface = threadSurface({
    threadId: named === undefined ? undefined : parseThreadId(named),
    isReadonly,
    selection: selectTools(searchParams.get('toolsets'), isReadonly),
    limits: readLimits(env),
    subject,
    openThread: (threadId) => openThread(env, { subject, threadId }),
  });
  return serveMcp(req.raw, () => makeServer(surface), {
    route: pathname,
    allowedOriginHostnames: allowedOriginHostnames(env),
    onError: logProtocol,
  });
}
