/** Serves the description of the API: written once per isolate, but for the address it is asked at. */
import type { Context } from 'hono';
import { readLimits, type Env } from '#env.ts';
import type { Limits } from '#limits.ts';
import { SERVER_INFO } from '#mcp/server-info.ts';
import { describeApi } from './openapi.ts';

/** Wakes no thread and asks for no credentials: it tells nothing about any memory. */
export function serveOpenApi({ env, req, body }: Context<{ Bindings: Env }>): Response {
  const { origin } = new URL(req.url);
  const text = writeOnce(readLimits(env)).replace(ORIGIN_PLACE, () => JSON.stringify(origin));
  return body(text, 200, { 'Content-Type': 'application/json' });
}

/** Stands where the origin goes. Nothing before it in the text could be taken for it. */
const ORIGIN = 'https://origin.invalid';
const ORIGIN_PLACE = JSON.stringify(ORIGIN);

/** By the limits, which are the same for all requests to one deployment. */
const WRITTEN = new Map<string, string>();

function writeOnce(limits: Limits): string {
  const key = JSON.stringify(limits);
  const written =
    WRITTEN.get(key) ??
    JSON.stringify(describeApi({ version: SERVER_INFO.version, limits, origin: ORIGIN }));
  WRITTEN.set(key, written);
  return written;
}
