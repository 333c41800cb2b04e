/** The one shape of an error outside the protocol: `{ "error": { "code", "message", "hint" } }`. */
import type { Context } from 'hono';
import { httpStatus, type ErrorData } from '#errors.ts';

export function errorResponse(context: Context, { code, message, hint }: ErrorData): Response {
  return context.json({ error: { code, message, hint: hint ?? null } }, httpStatus(code));
}
