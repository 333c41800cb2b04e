/** What a form must be, whoever sent it: a browser's, or a client's at the token endpoint. */
import type { Context, MiddlewareHandler } from 'hono';
import { MemoryError } from '#errors.ts';
import { FORM_BODY_BYTES_MAX } from '#auth/limits.ts';
import { bodyGuard } from './body-guard.ts';
import type { GuardedContext } from '#http/context.ts';

/** Strangers may send forms. `bytesMax` is smaller where what they send is kept. */
export function formBodyGuard(
  bytesMax: number = FORM_BODY_BYTES_MAX,
): MiddlewareHandler<GuardedContext> {
  return bodyGuard({ bytesMax, hint: 'Send less: nothing that belongs here is so long.' });
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
