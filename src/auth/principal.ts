/** Who is calling, and what they may reach. */
import { MemoryError, quote } from '#errors.ts';
import { ADMIN, type Scope } from './scopes.ts';
import { describeThreadAccess, reachesThread, type ThreadAccess } from './thread-access.ts';

export interface Principal {
  /** Names the credential to the rate limits: a hash that says nothing about it. */
  readonly credential: string;
  /** Opaque and stable; the first part of every object name. */
  readonly subject: string;
  /** Stands in the history: the name of the token or of the client. */
  readonly actor: string;
  readonly scopes: readonly Scope[];
  readonly threads: ThreadAccess;
}

/** Whoever asks on the machine itself, in local development. */
export const LOCAL: Principal = {
  credential: 'local',
  subject: 'local',
  actor: 'local',
  scopes: [ADMIN],
  threads: null,
};

/** The one subject of a deployment. It says nothing about the person, and outlives every credential. */
export const OWNER_SUBJECT = 'owner';

/** Throws `forbidden` for a thread that the credential was not made for, the empty name among them. */
export function requireThread({ threads }: Principal, threadId: string): void {
  if (reachesThread(threads, threadId)) return;
  throw new MemoryError('forbidden', `This credential does not reach ${quote(threadId)}.`, {
    hint: `It is made for: ${describeThreadAccess(threads)}. Nothing was changed.`,
  });
}
