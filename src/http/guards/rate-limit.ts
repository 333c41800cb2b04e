/** How often anyone may ask, by the rate limits of the platform: no Durable Object counts. */
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { Principal } from '#auth/principal.ts';
import type { Env } from '#env.ts';
import { RATE_LIMIT_SECONDS } from '#auth/limits.ts';
import type { GuardedContext } from '#http/context.ts';
import { errorResponse } from '#http/error-response.ts';

/** Undefined for a caller who may go on. */
type Limited = Promise<Response | undefined>;

export async function limitAddress(context: Context<GuardedContext>): Limited {
  const isOver = await isBeyond(context.env.ADDRESS_LIMIT, addressKey(context.req.raw));
  return isOver ? refuseRate(context) : undefined;
}

/** Counts a request for its credential alone, whether it is allowed or refused afterwards. */
export async function limitCredential(
  context: Context<GuardedContext>,
  { credential }: Principal,
): Limited {
  const isOver = await isBeyond(context.env.CREDENTIAL_LIMIT, credential);
  return isOver ? refuseRate(context) : undefined;
}

/**
 * Counts calls that are about to reach an object, each one of a batch, for the credential and for its
 * owner. It comes after every check of what the caller may do, so that what is refused to one
 * credential takes nothing from the owner's others. Throws an answer of 429.
 */
export async function countCalls(
  context: Context<GuardedContext>,
  { subject, credential }: Principal,
  calls = 1,
): Promise<void> {
  const { CREDENTIAL_LIMIT, SUBJECT_LIMIT } = context.env;
  for (let call = 0; call < calls; call++) {
    // The request itself was counted for the credential as it came in.
    // oxlint-disable-next-line no-await-in-loop -- Calls beyond the limit are not counted.
    const isOver = call > 0 && (await isBeyond(CREDENTIAL_LIMIT, credential));
    // oxlint-disable-next-line no-await-in-loop
    if (isOver || (await isBeyond(SUBJECT_LIMIT, subject))) {
      throw new HTTPException(429, { res: refuseRate(context) });
    }
  }
}

/**
 * Whether this may be tried again: attempts to sign in, and registrations of clients, which write
 * for strangers. Without the binding neither is possible.
 */
export async function mayAttempt(
  { SIGN_IN_LIMIT, SUBJECT_LIMIT }: Env,
  request: Request,
  what: 'sign-in' | 'register',
): Promise<boolean> {
  if (SIGN_IN_LIMIT === undefined) return false;
  if (await isBeyond(SIGN_IN_LIMIT, `${what} ${addressKey(request)}`)) return false;
  // Of all addresses together: whoever guesses may have many.
  return !(await isBeyond(SUBJECT_LIMIT, what));
}

export function refuseRate(context: Context): Response {
  context.header('Retry-After', String(RATE_LIMIT_SECONDS));
  return errorResponse(
    context,
    {
      code: 'limit_exceeded',
      message: 'Too many requests.',
      hint: `Wait ${RATE_LIMIT_SECONDS} seconds and go on more slowly. Nothing was changed.`,
    },
    429,
  );
}

async function isBeyond(limit: RateLimit | undefined, key: string): Promise<boolean> {
  if (limit === undefined) return false;
  const { success } = await limit.limit({ key });
  return !success;
}

/** One customer of a provider has a whole /64 of IPv6, so the first half names the caller. */
export function addressKey(request: Request): string {
  const address = request.headers.get('cf-connecting-ip') ?? 'local';
  if (!address.includes(':')) return address;
  const [before = '', after] = address.toLowerCase().split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const zeros = after === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  const groups = [...head, ...Array<string>(zeros).fill('0'), ...tail];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
