/**
 * The module in front of the Worker: it says who is asking, as Cloudflare does. Requests come in by one
 * of two sockets, so that a client cannot tell of itself what only the server can know. Nothing of
 * Miniflare is in between: its own socket serves the buckets to everybody (`/cdn-cgi/local/r2/public`).
 */
import worker from './worker.js';

export * from './worker.js';

/** What a proxy says of whom it asks for. A request without any of these is of a program of this machine. */
const DESCRIBING = ['x-forwarded-for', 'x-forwarded-proto', 'cf-connecting-ip'];

/** Neither an address of this machine nor one that anybody has. */
const ELSEWHERE = '0.0.0.0';

/** Only this machine can ask here: a program of its own, or a reverse proxy, which says for whom. */
export const Local = {
  fetch: (request, env, context) =>
    worker.fetch(
      DESCRIBING.some((name) => request.headers.has(name))
        ? describe(request, findAddress(request.headers))
        : request,
      env,
      context,
    ),
};

/** Other machines can ask here. What they say of themselves is not believed. */
export const Remote = {
  fetch: (request, env, context) => worker.fetch(describe(request, ELSEWHERE), env, context),
};

/** Miniflare's socket, which serves nobody, and the events that the server sets off. */
export default {
  fetch: () => new Response('Not found\n', { status: 404 }),
  scheduled: (event, env, context) => worker.scheduled?.(event, env, context),
};

/** A proxy adds the address that it saw to the end of X-Forwarded-For; a tunnel sends CF-Connecting-IP. */
function findAddress(headers) {
  const seen = headers.get('x-forwarded-for')?.split(',').at(-1)?.trim();
  if (seen && !isLoopback(seen)) return seen;
  return headers.get('cf-connecting-ip') ?? '127.0.0.1';
}

function isLoopback(address) {
  return address === '::1' || /^(?:::ffff:)?127\./i.test(address);
}

function describe(request, address) {
  const url = new URL(request.url);
  const protocol = request.headers.get('x-forwarded-proto')?.split(',')[0]?.trim();
  if (protocol === 'https') url.protocol = 'https:';
  const described = new Request(url, request);
  described.headers.set('cf-connecting-ip', address);
  return described;
}
