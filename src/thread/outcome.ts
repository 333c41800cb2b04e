/** Turns what a call gives or throws into what crosses back: plain data, since classes do not survive RPC. */
import { MemoryError, type ErrorData } from '#errors.ts';
import { logBug, type CallLog } from './log.ts';
import type { Emptiness, ToolValue } from '#tools/define.ts';

/** What comes back over the RPC boundary. Expected failures are data: classes do not survive it. */
export type OutcomeOf<Value> =
  | ({ readonly ok: true } & Value)
  | { readonly ok: false; readonly error: ErrorData };

export type Outcome = OutcomeOf<ToolValue> & {
  /** Set where the tool tells what there is, and the thread holds nothing. */
  readonly emptiness?: Emptiness;
};

/** Names that begin with what was asked for, sorted: `COMPLETIONS_MAX` and one more at most. */
export interface Suggestions {
  readonly names: readonly string[];
}

export async function attempt<Value extends object>(
  run: () => Promise<Value>,
): Promise<OutcomeOf<Value>> {
  try {
    return { ok: true, ...(await run()) };
  } catch (error) {
    return { ok: false, error: error instanceof MemoryError ? error.toData() : hideBug(error) };
  }
}

export function summarise(
  outcome: OutcomeOf<{ readonly isFailure?: boolean }>,
): CallLog['outcome'] {
  if (!outcome.ok) return outcome.error.code;
  return outcome.isFailure ? 'refused' : 'ok';
}

/** The caller learns a reference to look up, and nothing about our insides. */
function hideBug(error: unknown): ErrorData {
  const reference = crypto.randomUUID().slice(0, 8);
  logBug(reference, error);
  return {
    code: 'internal',
    message: `Internal error (reference ${reference}).`,
    hint: 'Nothing was changed. Try again; if it happens again, report the reference.',
  };
}
