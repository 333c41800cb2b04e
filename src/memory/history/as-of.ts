/** Reads the thread as it was at a time, or after a revision. */
import { assert, MemoryError } from '#errors.ts';
import { parseMoment, type TimeSpan, toIsoTime } from '#graph/moment.ts';
import { AS_OF_CHANGES_READ_MAX, AS_OF_ROWS_MAX } from '#limits.ts';
import type { ChangedRow } from '#store/history/changed-rows.ts';
import type { PastState } from '#store/history/take-back.ts';
import type { Store } from '#store/store.ts';
import type { World } from '#memory/world.ts';

export interface Past {
  /** Undefined for the present. */
  readonly state: PastState | undefined;
  /** Its revision and its moment, in words; empty for the present. */
  readonly title: string;
  /** True before the first revision, when there was nothing to find. */
  readonly isBeforeAll: boolean;
  /**
   * What `read` finds there. In the past it must not wait for anything. With `names` it may look at entities of
   * these names alone, with their facts and relations. Throws `limit_exceeded` where too much has changed.
   */
  read<Result>(read: () => Result, names?: readonly string[]): Result;
}

const PRESENT: Past = {
  state: undefined,
  title: '',
  isBeforeAll: false,
  read: (read) => read(),
};

export function pastUseCases(world: World) {
  const { store } = world;
  return {
    /**
     * `asOf` is a revision, a time or a day, as `parseMoment` reads them; undefined for the present.
     * Throws `invalid_input` for the future, and `not_found` for what is forgotten or not
     * made yet.
     */
    at(asOf: string | undefined): Past {
      if (asOf === undefined) return PRESENT;
      const state = findState(world, asOf);
      return {
        state,
        ...describeState(world, state, asOf),
        read: (read, names) =>
          store.rewinding.readAsOf(state.at, findChanged(world, state, names), read),
      };
    },
  };
}

/** The state after a revision, or at a time. Throws as `at`. */
function findState(world: World, asOf: string): PastState {
  const moment = parseMoment(asOf);
  assert(moment !== undefined, 'The input of a tool has been parsed.');
  return 'revision' in moment ? stateAfter(world, moment.revision) : stateAt(world, moment);
}

/** Before the first revision there is no moment to tell. */
function describeState(
  { store }: World,
  { revision, at }: PastState,
  asOf: string,
): Pick<Past, 'title' | 'isBeforeAll'> {
  const first = store.revisions.first();
  const { horizon } = store.compactions.read();
  if (horizon > 0 || (first !== undefined && revision >= first.id)) {
    return { title: `revision ${revision}, ${timeOf(at)}`, isBeforeAll: false };
  }
  const moment = parseMoment(asOf);
  const asked = moment && 'revision' in moment ? `revision ${moment.revision}` : timeOf(at);
  const why =
    first === undefined
      ? 'nothing has been stored in this thread yet'
      : `the thread was empty until revision ${first.id}, ${timeOf(first.at)}`;
  return { title: `${asked}: ${why}`, isBeforeAll: true };
}

function stateAfter({ store }: World, revision: number): PastState {
  const { horizon, horizonAt } = store.compactions.read();
  const newest = store.revisions.last()?.id ?? horizon;
  if (revision > newest) {
    throw new MemoryError('not_found', `There is no revision ${revision}.`, {
      hint:
        newest === 0
          ? 'Nothing has been stored in this thread yet.'
          : `The latest is ${newest}. get_recent_changes lists them.`,
    });
  }
  if (revision < horizon) throw forgotten(`Revision ${revision}`, { horizon, horizonAt });
  // Numbers of calls that changed nothing are missing.
  const made = store.revisions.previous(revision + 1);
  return { revision, at: made?.at ?? horizonAt };
}

/** A day that is not over yet has its state of now. */
function stateAt({ store, now }: World, { from, until }: TimeSpan): PastState {
  if (from > now) {
    throw new MemoryError('invalid_input', `${timeOf(from)} lies in the future.`, {
      hint: 'Leave asOf out for the present.',
    });
  }
  const at = Math.min(until, now);
  const { horizon, horizonAt } = store.compactions.read();
  const made = store.revisions.lastUntil(at);
  if (made !== undefined) return { revision: made.id, at };
  // A thread that was never compacted has forgotten nothing, not even what lies before 1970.
  if (horizon > 0 && at < horizonAt)
    throw forgotten(`The state of ${timeOf(at)}`, { horizon, horizonAt });
  return { revision: horizon, at };
}

/** What compact has forgotten, by the oldest that it has left. */
function forgotten(
  what: string,
  { horizon, horizonAt }: { horizon: number; horizonAt: number },
): MemoryError {
  return new MemoryError('not_found', `${what} is forgotten: compact has removed its history.`, {
    hint: `The oldest state that can be read is that of revision ${horizon}, of ${timeOf(horizonAt)}.`,
  });
}

/** Throws `limit_exceeded`. */
function findChanged(
  { store }: World,
  { revision }: PastState,
  names: readonly string[] | undefined,
): ChangedRow[] {
  if (store.revisions.changesSince(revision + 1) > AS_OF_CHANGES_READ_MAX) {
    throw tooFar(store, revision, {
      limit: `${AS_OF_CHANGES_READ_MAX} changes`,
      max: AS_OF_CHANGES_READ_MAX,
    });
  }
  const changed = store.rewinding.changedSince(revision, AS_OF_ROWS_MAX + 1, names);
  if (changed.length <= AS_OF_ROWS_MAX) return changed;
  throw tooFar(store, revision, { limit: `${AS_OF_ROWS_MAX} changed rows`, max: AS_OF_ROWS_MAX });
}

/** The error names a state that is within reach for certain: a row may have changed more than once. */
function tooFar(
  store: Store,
  revision: number,
  { limit, max }: { limit: string; max: number },
): MemoryError {
  let changes = 0;
  for (const { id, at, changes: own } of store.revisions.downTo(revision)) {
    changes += own;
    if (changes <= max) continue;
    return new MemoryError('limit_exceeded', `Revision ${revision} lies more than ${limit} back.`, {
      hint: `Read single entities by open_nodes, or the state of revision ${id}, of ${timeOf(at)}, or a later one. What one credential has flooded undo_actor takes back; then the states before are within reach again.`,
    });
  }
  throw new Error('Fewer rows than changes.');
}

export function timeOf(at: number): string {
  return toIsoTime(at);
}
