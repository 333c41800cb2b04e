/** What handlers and guards find in the context of a request. */
import type { Principal } from '#auth/principal.ts';
import type { Env } from '#env.ts';

export interface GuardedContext {
  readonly Bindings: Env;
  /** The principal is there behind the guard alone: read it by `principalOf`. */
  readonly Variables: { readonly principal?: Principal };
}
