/** The way to a subject's directory, for the Worker and for the subject's threads. */
import type { Env } from '#env.ts';
import { MemoryError } from '#errors.ts';
import type { DirectoryEntry, DirectoryKey, ThreadScope } from '#store/directory.ts';
import type { Outcome } from './thread-client.ts';

export type { ThreadScope };

/** The object behind a stub. Its types are spelled out, since RPC types cannot express `unknown`. */
export interface DirectoryStub {
  call(tool: string, input: Record<string, unknown>, scope: ThreadScope): Promise<Outcome>;
  report(entry: DirectoryEntry): Promise<void>;
  forget(key: DirectoryKey): Promise<void>;
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
