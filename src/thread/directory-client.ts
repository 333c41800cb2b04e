/** The way to a subject's directory, for the Worker and for the subject's threads. */
import type { Env } from '#env.ts';
import { MemoryError, type ErrorData } from '#errors.ts';
import type { Opener } from '#memory/directory/admission.ts';
import type { KeptBackup } from '#memory/ports.ts';
import type { DirectoryEntry, DirectoryKey, ThreadScope } from '#directory-store/directory.ts';
import type { Outcome, OutcomeOf, Suggestions } from './outcome.ts';

export type { ThreadScope };

/** The object behind a stub. Its types are spelled out, since RPC types cannot express `unknown`. */
export interface DirectoryStub {
  call(tool: string, input: Record<string, unknown>, scope: ThreadScope): Promise<Outcome>;
  completeThreads(prefix: string, scope: ThreadScope): Promise<OutcomeOf<Suggestions>>;
  /** Whether a memory may be begun; the error with which the call is refused, undefined for yes. */
  admit(key: DirectoryKey, by: Opener): Promise<ErrorData | undefined>;
  report(entry: DirectoryEntry): Promise<void>;
  /** Returns the newest backup that stays. */
  forget(key: DirectoryKey, isErased: boolean): Promise<KeptBackup | undefined>;
  /** The files of a memory are gone; the next run writes it again. */
  dropBackups(key: DirectoryKey): Promise<void>;
  /** Begins a run of backups; the object goes on by itself. */
  backUp(subject: string, at: number): Promise<void>;
  ownersOf(threadId: string, limit: number): Promise<string[]>;
}

/** Throws `unavailable` where a deployment has none. */
export function directoryOf(env: Env, subject: string): DirectoryStub {
  if (env.DIRECTORY === undefined) {
    throw new MemoryError('unavailable', 'Threads are not listed here.', {
      hint: 'Bind DIRECTORY in wrangler.toml. Threads work without it, by their ids.',
    });
  }
  return env.DIRECTORY.getByName(encodeURIComponent(subject)) as unknown as DirectoryStub;
}

/**
 * Has the threads of all those subjects backed up that have changed, by one RPC each. `at` is the
 * moment of the event, in epoch milliseconds. One that cannot be reached holds up no other; throws then.
 */
export async function beginBackups(
  env: Env,
  subjects: readonly string[],
  at: number,
): Promise<void> {
  const begun = await Promise.allSettled(
    subjects.map(async (subject) => directoryOf(env, subject).backUp(subject, at)),
  );
  const failed = begun.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
