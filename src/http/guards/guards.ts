/** What a request must satisfy before anything else is done with it: host, origin, method. */
import type { Context, MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { isLoopback } from '#auth/local-request.ts';
import { readHostnames, type Env } from '#env.ts';
import type { GuardedContext } from '#http/context.ts';
import { errorResponse } from '#http/error-response.ts';
import { HINT_HEADER, IGNORED_HEADER, NOTE_HEADER, RENAMED_HEADER } from '#http/headers.ts';

/** Web clients that connect from a browser's page. */
const KNOWN_ORIGIN_HOSTNAMES = ['claude.ai', 'claude.com'];

/** Hosts from which a browser may call. */
export function allowedOriginHostnames(env: Env): string[] {
  return [
    'localhost',
    '127.0.0.1',
    '[::1]',
    ...KNOWN_ORIGIN_HOSTNAMES,
    ...readHostnames(env.ALLOWED_HOSTNAMES),
    ...readHostnames(env.ALLOWED_ORIGIN_HOSTNAMES),
  ];
}

/**
 * Refuses hosts that this server was not told of: a page that rebinds its own name to our address
 * (DNS rebinding) sends that name as `Host`.
 */
export function hostGuard(): MiddlewareHandler<GuardedContext> {
  return async (context, next) => {
    const { hostname } = new URL(context.req.url);
    const isKnown =
      isLoopback(hostname) ||
      hostname.endsWith('.workers.dev') ||
      readHostnames(context.env.ALLOWED_HOSTNAMES).includes(hostname.toLowerCase());
    if (isKnown) return next();
    return errorResponse(context, {
      code: 'forbidden',
      message: `This server is not known as '${hostname.slice(0, 80)}'.`,
      hint: "Add the host name to ALLOWED_HOSTNAMES in wrangler.toml and run: npm run deploy. For npm start run: echo 'ALLOWED_HOSTNAMES=<host name>' >> .dev.vars",
    });
  };
}

/**
 * For every answer: what it is is what it says, and it tells no other site where it came from. With
 * `no-referrer` a browser would hide from our own forms, too, where they were sent from.
 */
export function securityHeaders(): MiddlewareHandler {
  return async (context, next) => {
    context.header('X-Content-Type-Options', 'nosniff');
    context.header('Referrer-Policy', 'same-origin');
    // Such as `Host: localhost:80.example`, of which a runtime makes an address that is none.
    if (!URL.canParse(context.req.url)) {
      return errorResponse(context, {
        code: 'invalid_input',
        message: 'The request names no host that can be read.',
        hint: 'Send the host name, and the port if there is one, in the header Host.',
      });
    }
    const { protocol } = new URL(context.req.url);
    if (protocol === 'https:') context.header('Strict-Transport-Security', 'max-age=31536000');
    return next();
  };
}

export function originGuard(): MiddlewareHandler<GuardedContext> {
  return async (context, next) => {
    const origin = context.req.header('origin');
    if (origin === undefined && isEmbedded(context)) return refuseEmbedding(context);
    if (origin === undefined || isAllowedOrigin(origin, context)) return next();
    return errorResponse(context, {
      code: 'forbidden',
      message: `Requests from the origin '${origin.slice(0, 80)}' are not allowed.`,
      hint: "Add its host name to ALLOWED_ORIGIN_HOSTNAMES in wrangler.toml and run: npm run deploy. For npm start run: echo 'ALLOWED_ORIGIN_HOSTNAMES=<host name>' >> .dev.vars",
    });
  };
}

/**
 * Whether another site's page asks without saying so in `Origin`, as for an image or a script. A link
 * that a person follows is served.
 */
function isEmbedded({ req }: Context): boolean {
  const mode = req.header('sec-fetch-mode') ?? 'navigate';
  return req.header('sec-fetch-site') === 'cross-site' && mode !== 'navigate';
}

function refuseEmbedding(context: Context): Response {
  return errorResponse(context, {
    code: 'forbidden',
    message: 'A page of another site may not load this.',
    hint: 'Open the address itself, or call it from a program.',
  });
}

/** For what a memory answers: no browser and no proxy keeps a copy. */
export function noStore(): MiddlewareHandler {
  return async (context, next) => {
    context.header('Cache-Control', 'no-store');
    return next();
  };
}

function isAllowedOrigin(origin: string, context: Context<GuardedContext>): boolean {
  if (!URL.canParse(origin)) return false;
  const { hostname } = new URL(origin);
  const ownHostname = new URL(context.req.url).hostname;
  const isOwn = hostname === ownHostname && hostname.endsWith('.workers.dev');
  return isOwn || allowedOriginHostnames(context.env).includes(hostname.toLowerCase());
}

/** Lets a page on an allowed origin read what it is answered, a refusal too. */
export function crossOrigin(method: 'GET' | 'POST'): MiddlewareHandler {
  return cors({
    origin: '*',
    allowMethods: [method, 'OPTIONS'],
    allowHeaders: [
      'Content-Type',
      'Accept',
      'Authorization',
      'mcp-session-id',
      'MCP-Protocol-Version',
      'Mcp-Method',
      'Mcp-Name',
    ],
    exposeHeaders: [
      'mcp-session-id',
      'WWW-Authenticate',
      'Retry-After',
      'Content-Disposition',
      IGNORED_HEADER,
      HINT_HEADER,
      NOTE_HEADER,
      RENAMED_HEADER,
    ],
    maxAge: 86_400,
  });
}

export function methodGuard(method: 'GET' | 'POST', hint: string): MiddlewareHandler {
  return async (context, next) => {
    if (context.req.method === method) return next();
    context.header('Allow', `${method}, OPTIONS`);
    const message = `${context.req.method} is not allowed here.`;
    return errorResponse(context, { code: 'invalid_input', message, hint }, 405);
  };
}
