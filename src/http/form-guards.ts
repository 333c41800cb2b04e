/** What a form must be, whoever sent it: a browser's, or a client's at the token endpoint. */
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { MemoryError } from '#errors.ts';
import { FORM_BODY_BYTES_MAX } from '#limits.ts';
import { errorResponse } from './error-response.ts';

/** Strangers may send forms and registrations, and the latter are kept. */
export function formSizeGuard(): MiddlewareHandler {
  return bodyLimit({
    maxSize: FORM_BODY_BYTES_MAX,
    onError: (context) =>
      errorResponse(context, {
        code: 'limit_exceeded',
        message: `The request body is larger than ${FORM_BODY_BYTES_MAX / 1024} KiB.`,
        hint: 'Send less: nothing that belongs here is so long.',
      }),
  });
}

/** Throws `invalid_input` for a body that is no form. */
export async function readForm({ req }: Context): Promise<FormData> {
  try {
    return await req.formData();
  } catch {
    throw new MemoryError('invalid_input', 'The body is not a form.', {
      hint: 'Use the form on the page.',
    });
  }
}
