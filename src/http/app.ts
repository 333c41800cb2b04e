/** The routes. What they answer is made elsewhere; what they refuse, they refuse in one shape. */
import { Hono, type Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { MemoryError } from '#errors.ts';
import { SERVER_INFO } from '#mcp/server-info.ts';
import { logBug } from '#thread/log.ts';
import {
  answerClosed,
  authGuard,
  type AuthGuardOptions,
  authModeOf,
  closedGuard,
  limitGuard,
} from './guards/auth-guard.ts';
import { bodyGuard } from './guards/body-guard.ts';
import type { GuardedContext } from './context.ts';
import { errorResponse } from './error-response.ts';
import { addAuthorizeRoute } from './sign-in/authorize-route.ts';
import { serveDump } from './threads/dump.ts';
import { serveExport } from './threads/export.ts';
import { serveFile, serveFileList } from './threads/files.ts';
import { serveHealth } from './health.ts';
import { serveMcpRoute, type MakeServer } from './mcp-route.ts';
import { addHomeRoute } from './pages/home-route.ts';
import { serveImport } from './threads/import.ts';
import { serveSession } from './sign-in/session-route.ts';
import { serveVerify } from './threads/verify.ts';
import { serveOpenApi } from './openapi/openapi-route.ts';
import { addOAuthRoutes } from './sign-in/oauth-routes.ts';
import { wantsPage } from './pages/page.ts';
import { problemPage } from './pages/page-problem.ts';
import { addSettingsRoutes } from './sign-in/settings-routes.ts';
import { addSignInRoutes } from './sign-in/sign-in-routes.ts';
import { TOOL_ROUTE } from './threads/tool-address.ts';
import { serveToolCall } from './threads/tools-route.ts';
import {
  crossOrigin,
  hostGuard,
  methodGuard,
  noStore,
  originGuard,
  securityHeaders,
} from './guards/guards.ts';

const SESSION_ROUTE = '/session';
const IMPORT_ROUTE = '/api/threads/:threadId/import';
const FILE_ROUTE = '/api/threads/:threadId/files/:file';

type AppContext = Context<GuardedContext>;

export interface AppOptions {
  /** Left out, the server that Skein serves. */
  readonly makeServer?: MakeServer;
}

export function createApp({ makeServer }: AppOptions = {}): Hono<GuardedContext> {
  // A slash at the end of a path changes nothing: people and clients append one.
  const app = new Hono<GuardedContext>({ strict: false });
  const serve = (context: AppContext) => serveMcpRoute(context, makeServer);
  app.use(securityHeaders());

  /** Answers without waking a thread. */
  app.get('/health', (context) =>
    context.json({ status: 'ok', name: SERVER_INFO.name, version: SERVER_INFO.version }),
  );

  addHomeRoute(app);
  addMemoryRoutes(app, serve);
  addOAuthRoutes(app);
  addAuthorizeRoute(app);
  addSignInRoutes(app);
  addSettingsRoutes(app);

  app.notFound((context) => {
    const mode = authModeOf(context);
    const isPage = wantsPage(context);
    if (mode.mode === 'closed' && isPage) return answerClosed(context, mode);
    const problem = {
      code: 'not_found',
      message: `Nothing is served at ${context.req.path.slice(0, 80)}.`,
      hint: 'Connect an MCP client to /mcp or /mcp/<threadId>; /openapi.json describes everything else.',
    } as const;
    return isPage ? problemPage(context, problem) : errorResponse(context, problem);
  });
  app.onError((error, context) => {
    if (error instanceof HTTPException) return error.getResponse();
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

/** Of routes that reach a memory. What is not set up says so to any method, a browser's GET too. */
function streamGuards(method: 'GET' | 'POST', methodHint: string, auth?: AuthGuardOptions) {
  return [
    noStore(),
    hostGuard(),
    originGuard(),
    crossOrigin(method),
    closedGuard(),
    methodGuard(method, methodHint),
    authGuard(auth),
  ];
}

/** The same, where the body is no stream. */
function memoryGuards(method: 'GET' | 'POST', methodHint: string, auth?: AuthGuardOptions) {
  return [...streamGuards(method, methodHint, auth), bodyGuard()];
}

/** On routes that the explorer asks, the owner's session in a browser is a credential too. */
const OF_EXPLORER: AuthGuardOptions = { admitsSession: true };

/** Everything that programs ask for, but for OAuth. */
function addMemoryRoutes(
  app: Hono<GuardedContext>,
  serve: (context: AppContext) => Promise<Response>,
): void {
  // The endpoints keep no sessions and open no streams of their own.
  // Hono's '/mcp/*' matches '/mcp' too: guards of both would count a request twice.
  app.use('/mcp/*', ...memoryGuards('POST', 'Send each MCP message as a POST.'));
  app.use(
    '/openapi.json',
    hostGuard(),
    originGuard(),
    crossOrigin('GET'),
    methodGuard('GET', 'Ask with GET.'),
  );
  /** A stream, which has a limit of its own: before the guards of what is read alone. */
  app.use(
    IMPORT_ROUTE,
    ...streamGuards('POST', 'Send the file as the body of a POST.', OF_EXPLORER),
  );
  app.post(IMPORT_ROUTE, serveImport);
  app.use('/api/threads/:threadId/:resource', ...memoryGuards('GET', 'Ask with GET.', OF_EXPLORER));
  app.use(FILE_ROUTE, ...memoryGuards('GET', 'Ask with GET.', OF_EXPLORER));
  app.use(
    TOOL_ROUTE,
    ...memoryGuards(
      'POST',
      'Call a tool by POST, with its arguments as a JSON object.',
      OF_EXPLORER,
    ),
  );
  app.use(
    SESSION_ROUTE,
    noStore(),
    hostGuard(),
    originGuard(),
    closedGuard(),
    methodGuard('GET', 'Ask with GET.'),
    limitGuard(),
  );
  app.get(SESSION_ROUTE, serveSession);
  /** The tool argument `threadId` names the thread. */
  app.all('/mcp', serve);
  /** The URL names the thread. */
  app.all('/mcp/:threadId', serve);
  app.get('/api/threads/:threadId/export', serveExport);
  app.get('/api/threads/:threadId/health', serveHealth);
  app.get('/api/threads/:threadId/files', serveFileList);
  app.get(FILE_ROUTE, serveFile);
  app.get('/api/threads/:threadId/verify', serveVerify);
  app.get('/api/threads/:threadId/dump', serveDump);
  app.post(TOOL_ROUTE, serveToolCall);
  app.get('/openapi.json', serveOpenApi);
}
