/** What a use case may rely on, given to it rather than reached for. */
import type { CacheLimits, Limits } from '#limits.ts';
import type { SearchCache } from '#search/search-cache.ts';
import type { Semantics } from '#search/semantics.ts';
import type { DirectoryEntry } from '#directory-store/directory.ts';
import type { Store } from '#store/store.ts';
import type { KeptBackup } from './ports.ts';
import type { NodeQuota } from './nodes/node-quota.ts';
import type { FileStore } from './ports.ts';
import type { Summarizer } from '#summarise/summarizer.ts';

/** Who calls, on which thread. Built by the Worker, trusted by the thread. */
export interface Caller {
  readonly threadId: string;
  /** Stands in the history beside every change. */
  readonly actor: string;
  /** The credential to whose quota of new nodes the call counts; undefined where it counts to none. */
  readonly countedAs?: string | undefined;
  /** Whether the owner asks on the machine itself: then nobody counts how many threads the caller begins in an hour. */
  readonly isLocal?: boolean | undefined;
  /** Whether backups may be named: they outlive a thread, and hold what was deleted. */
  readonly seesBackups?: boolean;
}

/** How full the caches of an object are. */
export interface CacheState {
  readonly limits: CacheLimits;
  /** Vectors that are kept. */
  readonly embeddings: number;
  /** Answers that are kept. */
  readonly searches: number;
}

/** What a thread says of itself. */
export type ThreadReport = Omit<DirectoryEntry, 'threadId' | 'owner'>;

export interface Erased {
  /** Memories of owners that went with the thread. */
  readonly owners: number;
  /** False when there is more of it: memories of owners, or files. */
  readonly isDone: boolean;
  /** The newest backup of what was deleted, which stays for a time. */
  readonly backup?: KeptBackup | undefined;
}

/** What is around a thread. */
export interface Surroundings {
  /** Tells the directory of the subject. Rejects when it cannot be reached. */
  report(report: ThreadReport): Promise<void>;
  /** Deletes everything that the object has, and its entry in the directory; `withFiles` what it has in R2 too. */
  erase(withFiles: boolean): Promise<Erased>;
  /** Deletes the files that the thread has in R2, backups included. One call deletes a limited number; returns whether all are gone. */
  deleteFiles(): Promise<boolean>;
}

export interface World {
  readonly store: Store;
  readonly semantics: Semantics;
  readonly summarizer: Summarizer;
  readonly limits: Limits;
  /** When the object was woken, in epoch milliseconds. */
  readonly wokeAt: number;
  /** Left out where nobody counts new nodes. */
  readonly quota?: NodeQuota | undefined;
  /** Left out where answers are not kept. */
  readonly searches?: SearchCache | undefined;
  /** Left out where nothing is kept at all. */
  cacheState?(): CacheState;
  /** Empties whatever holds texts in memory. */
  clearCaches?(): void;
  /** Left out where a deployment has no place for files. */
  readonly files?: FileStore | undefined;
  readonly caller: Caller;
  /** Whose memory in the thread; undefined for the thread's own. */
  readonly owner?: string | undefined;
  /** Left out where the thread stands alone. */
  readonly surroundings?: Surroundings | undefined;
  /** The tool that is being called. */
  readonly tool: string;
  /** Whether the call is there to take away: it may write to a thread that is full. */
  readonly isRemoval?: boolean | undefined;
  /** Epoch milliseconds, the same throughout a call. */
  readonly now: number;
}
