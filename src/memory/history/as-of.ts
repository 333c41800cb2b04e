/** Reads the thread as it was at a time, or after a revision. */
import { assert, MemoryError } from '#errors.ts';
import { parseMoment, type TimeSpan, toIsoTime } from '#graph/moment.ts';
import { AS_OF_CHANGES_MAX } from '#limits.ts';
import type { PastState } from '#store/history/take-back.ts';
import type { World } from '#memory/world.ts';

export interface Past {
  /** Undefined for the present. */
  readonly state: PastState | undefined;
  /** Its revision and its moment, in words; empty for the present. */
  readonly title: string;
  /** True before the first revision, when there was nothing to find. */
  readonly isBeforeAll: boolean;
  /** What `read` finds there. In the past it must not wait for anything. */
  read<Result>(read: () => Result): Result;
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
     * Throws `invalid_input` for the future, `not_found` for what is forgotten or not made yet, and
     * `limit_exceeded` for what lies too far back.
     */
    at(asOf: string | undefined): Past {
      if (asOf === undefined) return PRESENT;
      const state = findState(world, asOf);
      checkDistance(world, state);
      return {
        state,
        ...describeState(world, state, asOf),
        read: (read) => store.rewinding.readAsOf(state, read),
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

function checkDistance({ store }: World, { revision }: PastState): void {
  const later = store.revisions.between(revision, Number.MAX_SAFE_INTEGER, AS_OF_CHANGES_MAX + 1);
  let changes = 0;
  for (const { id, at, changes: own } of later) {
    changes += own;
    if (changes <= AS_OF_CHANGES_MAX) continue;
    throw new MemoryError(
      'limit_exceeded',
      `Revision ${revision} lies more than ${AS_OF_CHANGES_MAX} changed rows back, which is as far as can be read.`,
      {
        hint: `The oldest state that can be read now is that of revision ${id}, of ${timeOf(at)}.`,
      },
    );
  }
}

export function timeOf(at: number): string {
  return toIsoTime(at);
}
