/** What handlers and guards find in the context of a request. */
import type { AuthMode } from '#auth/mode.ts';
import type { Principal } from '#auth/principal.ts';
import type { Env } from '#env.ts';

export interface GuardedContext {
  readonly Bindings: Env;
  readonly Variables: {
    /** Read it by `authModeOf`. */
    readonly authMode?: AuthMode;
    /** Set by the guard alone: read it by `principalOf`. */
    readonly principal?: Principal;
  };
}
