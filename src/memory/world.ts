/** What a use case may rely on, given to it rather than reached for. */
import type { Limits } from '#limits.ts';
import type { Semantics } from '#search/semantics.ts';
import type { Store } from '#store/store.ts';

/** Who calls, on which thread. Built by the Worker, trusted by the thread. */
export interface Caller {
  readonly threadId: string;
  /** Stands in the history beside every change. */
  readonly actor: string;
}

export interface World {
  readonly store: Store;
  readonly semantics: Semantics;
  readonly limits: Limits;
  readonly caller: Caller;
  /** The tool that is being called. */
  readonly tool: string;
  /** Epoch milliseconds, the same throughout a call. */
  readonly now: number;
}
