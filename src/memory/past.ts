/** Reads the thread as it was at a time, or after a revision. */
import { MemoryError } from '#errors.ts';
import { AS_OF_CHANGES_MAX } from '#limits.ts';
import type { PastState } from '#store/rewinding.ts';
import type { World } from './world.ts';

export interface Past {
  /** Undefined for the present. */
  readonly state: PastState | undefined;
  /** What `read` finds there. In the past it must not wait for anything. */
  read<Result>(read: () => Result): Result;
}

const PRESENT: Past = { state: undefined, read: (read) => read() };

export function pastUseCases(world: World) {
  const { store } = world;
  return {
    /**
     * `asOf` is an ISO 8601 time or the number of a revision; undefined for the present. Throws
     * `not_found` for what is forgotten or not there yet, and `limit_exceeded` for what is too far.
     */
    at(asOf: string | undefined): Past {
      if (asOf === undefined) return PRESENT;
      const state = findState(world, asOf);
      checkDistance(world, state);
      return { state, read: (read) => store.rewinding.readAsOf(state, read) };
    },
  };
}

/** The state after a revision, or at a time. Throws as `at`. */
function findState(world: World, asOf: string): PastState {
  return isRevision(asOf) ? stateAfter(world, Number(asOf)) : stateAt(world, Date.parse(asOf));
}

export function isRevision(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}

function stateAfter({ store }: World, revision: number): PastState {
  const { horizon, horizonAt } = store.compactions.read();
  const newest = store.revisions.last()?.id ?? horizon;
  if (revision > newest) {
    throw new MemoryError('not_found', `There is no revision ${revision}.`, {
      hint: `The latest is ${newest}. get_recent_changes lists them.`,
    });
  }
  if (revision < horizon) throw forgotten(`Revision ${revision}`, { horizon, horizonAt });
  // Numbers of calls that changed nothing are missing.
  const made = store.revisions.previous(revision + 1);
  return { revision, at: made?.at ?? horizonAt };
}

function stateAt({ store, now }: World, at: number): PastState {
  if (at > now) {
    throw new MemoryError('invalid_input', `${timeOf(at)} lies in the future.`, {
      hint: 'Leave asOf out for the present.',
    });
  }
  const { horizon, horizonAt } = store.compactions.read();
  const made = store.revisions.lastUntil(at);
  if (made !== undefined) return { revision: made.id, at };
  if (at < horizonAt) throw forgotten(`The state of ${timeOf(at)}`, { horizon, horizonAt });
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
  return new Date(at).toISOString();
}
