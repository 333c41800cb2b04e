/** The one shape of an error outside the protocol: `{ "error": { "code", "message", "hint", "faults"? } }`. */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { httpStatus, type ErrorData } from '#errors.ts';

/** `status` is given where HTTP has one of its own for what is wrong, such as 405. */
export function errorResponse(
  context: Context,
  { code, message, hint, faults }: ErrorData,
  status: ContentfulStatusCode = httpStatus(code),
): Response {
  const error = { code, message, hint: hint ?? null, ...(faults !== undefined && { faults }) };
  return context.json({ error }, status);
}
