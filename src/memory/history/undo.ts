/** Takes back what a call has done, with what was built on it where that is wanted. */
import { assert, MemoryError, quote } from '#errors.ts';
import {
  UNDO_BATCH_CHANGES_MAX,
  UNDO_CHANGES_MAX,
  UNDO_REVISIONS_MAX,
  UNDO_ROWS_READ_MAX,
  UNDO_SLICE_CHANGES_MAX,
} from '#limits.ts';
import type { Touch } from '#store/history/changes.ts';
import { nameChange, viewChanges } from './change-text.ts';
import {
  getRevision,
  lastBefore,
  summarise,
  takeCountable,
  type RevisionSummary,
} from './revisions.ts';
import { timeOf } from './as-of.ts';
import { findConflicts, type Conflict } from './undo-conflicts.ts';
import type { Store } from '#store/store.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

/** Of an answer that may have thousands. */
const UNDONE_SHOWN_MAX = 20;
const ACTORS_NAMED_MAX = 10;

export interface Undone {
  /** What was undone, newest first. */
  readonly undone: readonly RevisionSummary[];
  /** The revision that the undo made; null when everything had been taken back already. */
  readonly revision: number | null;
}

export interface ActorUndone extends Undone {
  /** The revisions that the undo made, oldest first: more than one where it was large. */
  readonly made: readonly number[];
  /** How many revisions were undone: `undone` has the newest of them. */
  readonly total: number;
  /** The last revision that compact has forgotten, where the undo would have gone further back; null else. */
  readonly horizon: number | null;
}

export function undoUseCases(world: World, writer: Writer) {
  const { store } = world;

  /** Returns the latest revision of the thread then: its own, unless there was nothing left to take back. */
  function takeBack(undone: readonly number[]): number {
    writer.write(() => {
      store.rewinding.takeBack(undone);
      const made = store.revisions.last();
      assert(made !== undefined, 'an undo is a revision');
      // A reference to nothing would be found too late, when the object commits.
      assert(store.rewinding.areReferencesWhole(made.id), 'an undo leaves no dangling reference');
    });
    return store.revisions.lastId() ?? 0;
  }

  return {
    /**
     * Rows become what they were before the revision. Throws `conflict`, naming what is in the way,
     * when something else has met them since; with `isCascading` that is undone too. Throws
     * `not_found` and `limit_exceeded`.
     */
    undo(id: number, isCascading: boolean): Undone {
      if (getRevision(world, id).tool === 'forget') throw isForgotten(id);
      const undone = chooseRevisions(world, [id], {
        subject: `Revision ${id}`,
        areRepeatable: false,
        mayUndo: () => isCascading,
      });
      if (undone.length > UNDO_REVISIONS_MAX) throw tooMuch(id, `${UNDO_REVISIONS_MAX} revisions`);
      const revisions = undone.map((one) => getRevision(world, one));
      const changes = revisions.reduce((sum, one) => sum + one.changes, 0);
      if (changes > UNDO_CHANGES_MAX) throw tooMuch(id, `${UNDO_CHANGES_MAX} changed rows`);
      const summaries = revisions.map((revision) => summarise(world, revision));
      takeBack(undone);
      return { undone: summaries, revision: writer.revision };
    },

    /**
     * Everything that an actor has done since a revision, which stays itself, a time or a day: rows
     * become what they were before. What others have done since stays. Where it was built on what goes
     * this throws `conflict`, unless `isCascading` undoes it too; what the server has done by itself,
     * such as an expiry, is always undone with it. Throws `not_found`, and `limit_exceeded` for one call that
     * changed too much.
     *
     * What is large goes newest first in several revisions, between which other calls are answered; an error
     * then says what is done already.
     */
    async undoActor(actor: string, since: string, isCascading: boolean): Promise<ActorUndone> {
      const afterId = lastBefore(world, since);
      const own = store.revisions.ofActor(actor, afterId);
      if (own.length === 0) throw nothingOf(world, actor, afterId);
      refuseTooLarge(world, own);
      const isOwnWork = (id: number) => store.revisions.find(id)?.actor === SERVER_ACTOR;
      const choice: Choice = {
        subject: `What ${quote(actor)} did`,
        areRepeatable: true,
        mayUndo: (id) => isCascading || isOwnWork(id),
      };
      const done = await undoInBatches(world, own, choice, takeBack);
      const { horizon } = store.compactions.read();
      return { ...done, horizon: horizon > afterId ? horizon : null };
    },
  };
}

/** Takes revisions back, which come newest first. Returns the latest revision of the thread then. */
type TakeBack = (undone: readonly number[]) => number;

/** `own` comes newest first. */
async function undoInBatches(
  world: World,
  own: readonly number[],
  choice: Choice,
  takeBack: TakeBack,
): Promise<Omit<ActorUndone, 'horizon'>> {
  const { store } = world;
  const made: number[] = [];
  let shown: readonly RevisionSummary[] = [];
  let [total, next] = [0, 0];
  try {
    while (next < own.length) {
      const batch = takeFirst(store, own.slice(next), UNDO_BATCH_CHANGES_MAX);
      let rest = chooseRevisions(world, batch, choice);
      if (next === 0) shown = summariseNewest(world, rest);
      total += rest.length;
      while (rest.length > 0) {
        const latest = store.revisions.lastId();
        const { revision, taken } = takeBackSlice(store, rest, takeBack);
        rest = rest.slice(taken);
        if (revision !== latest) made.push(revision);
        // oxlint-disable-next-line no-await-in-loop
        if (rest.length > 0 || next + batch.length < own.length) await nextTurn();
        // What others have written in between may be in the way.
        if (rest.length > 0 && store.revisions.lastId() !== revision) {
          rest = chooseRevisions(world, rest, choice);
        }
      }
      next += batch.length;
    }
  } catch (error) {
    throw made.length > 0 ? tellDone(error, made) : error;
  }
  return { undone: shown, total, revision: made.at(-1) ?? null, made };
}

/**
 * The newest of what was chosen, or all of it where these alone cannot be taken back: another may have the
 * name of something that comes and goes. Returns the latest revision of the thread then.
 */
function takeBackSlice(
  store: Store,
  chosen: readonly number[],
  takeBack: TakeBack,
): { revision: number; taken: number } {
  const slice = takeFirst(store, chosen, UNDO_SLICE_CHANGES_MAX);
  try {
    return { revision: takeBack(slice), taken: slice.length };
  } catch (error) {
    if (slice.length === chosen.length || error instanceof MemoryError) throw error;
    return { revision: takeBack(chosen), taken: chosen.length };
  }
}

/** A single call that changed more rows than are held in memory at once. */
function refuseTooLarge({ store }: World, revisions: readonly number[]): void {
  const id = revisions.find((one) => (store.revisions.find(one)?.changes ?? 0) > UNDO_CHANGES_MAX);
  if (id === undefined) return;
  throw new MemoryError(
    'limit_exceeded',
    `This would take back revision ${id}, which alone changed more than ${UNDO_CHANGES_MAX} rows.`,
    {
      hint: `Call it with since: ${id} for what came later, or restore a backup (list_files, import_database with mode: replace). Nothing was changed.`,
    },
  );
}

/** Those of them, newest first, that changed at most that many rows together; at least one. */
function takeFirst(store: Store, revisions: readonly number[], changesMax: number): number[] {
  let changes = 0;
  const end = revisions.findIndex((id, index) => {
    changes += store.revisions.find(id)?.changes ?? 0;
    return index > 0 && changes > changesMax;
  });
  return revisions.slice(0, end === -1 ? revisions.length : end);
}

function summariseNewest(world: World, undone: readonly number[]): RevisionSummary[] {
  const newest = undone.slice(0, UNDONE_SHOWN_MAX).map((id) => getRevision(world, id));
  return takeCountable(newest).map((revision) => summarise(world, revision));
}

/** A turn of the event loop, in which other calls are answered. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** The error of an undo that has taken the newest back already. */
function tellDone(error: unknown, made: readonly number[]): unknown {
  if (!(error instanceof MemoryError)) return error;
  const hint = (error.hint ?? '').replace(' Nothing was changed.', '');
  return new MemoryError(error.code, error.message, {
    hint: `${hint} The newest of it is taken back, by ${nameRevisions(made)}.`.trim(),
  });
}

/** Such as `revision 7` or `revisions 7, 8`. */
export function nameRevisions(made: readonly number[]): string {
  return `revision${made.length > 1 ? 's' : ''} ${made.join(', ')}`;
}

/** The actor of what no caller did. */
const SERVER_ACTOR = 'skein';

interface Choice {
  /** What is to be undone, as a refusal names it. */
  readonly subject: string;
  /** Whether what was taken back before is passed over. */
  readonly areRepeatable: boolean;
  /** Whether a revision that is in the way may be undone too. */
  mayUndo(id: number): boolean;
}

/** Newest first. Reads alone, so that nothing comes between this and the undo. */
function chooseRevisions(
  world: World,
  wanted: readonly number[],
  { subject, areRepeatable, mayUndo }: Choice,
): number[] {
  const { store } = world;
  const undone = new Set(wanted);
  const oldest = Math.min(...wanted);
  const distance = store.revisions.changesSince(oldest);
  for (let read = distance; ; read += distance) {
    const conflicts = findConflicts(store, undone, areRepeatable);
    if (conflicts.length === 0) return [...undone].toSorted((a, b) => b - a);
    const further = conflicts.flatMap(({ by }) => by?.revision ?? []);
    const isKnown = conflicts.length === further.length && further.some((one) => !undone.has(one));
    if (!isKnown || !further.every(mayUndo)) throw refuse(world, subject, oldest, conflicts);
    for (const one of further) undone.add(one);
    if (read > UNDO_ROWS_READ_MAX) throw tooMuch(oldest, `can be looked at in one call`);
  }
}

/** Names the newest of the changes that are in the way: it is the one to be undone first. */
function refuse(
  world: World,
  subject: string,
  id: number,
  conflicts: readonly Conflict[],
): MemoryError {
  const touches = conflicts.flatMap(({ by }) => by ?? []);
  const by = touches.toSorted((a, b) => b.revision - a.revision || a.seq - b.seq)[0];
  if (by === undefined) {
    return new MemoryError('conflict', `${subject} cannot be undone: its rows have changed.`, {
      hint: 'describe_revision shows what was there before.',
    });
  }
  const { tool, at } = getRevision(world, by.revision);
  const others = new Set(touches.map(({ revision }) => revision)).size - 1;
  return new MemoryError(
    'conflict',
    `${subject} cannot be undone: revision ${by.revision} (${tool}, ${timeOf(at)}) has since ${describeTouch(world, by)}${others > 0 ? `, and ${others} more revisions stand in the way` : ''}.`,
    { hint: advise(world, id, by, tool) },
  );
}

function describeTouch({ store }: World, { revision, seq }: Touch): string {
  const change = store.changes.find(revision, seq);
  const [view] = change === undefined ? [] : viewChanges(store, [change]);
  return view === undefined ? 'changed its rows' : `${view.action} ${nameChange(view)}`;
}

function advise({ tool: own }: World, id: number, by: Touch, tool: string): string {
  const cascade = `call ${own} with cascade: true, which undoes what was built on it too. Nothing was changed.`;
  return tool === 'undo_revision'
    ? `It may have been undone already: describe_revision shows revision ${by.revision}. Undo that one to have revision ${id} back, or ${cascade}`
    : `Undo revision ${by.revision} first, or ${cascade}`;
}

function nothingOf({ store }: World, actor: string, afterId: number): MemoryError {
  const actors = store.revisions.actorsSince(afterId, ACTORS_NAMED_MAX);
  return new MemoryError('not_found', `${quote(actor)} has changed nothing since then.`, {
    hint:
      actors.length === 0
        ? 'Nobody has.'
        : `Those who have: ${actors.map((one) => quote(one)).join(', ')}. get_recent_changes lists what they did.`,
  });
}

function isForgotten(id: number): MemoryError {
  return new MemoryError('conflict', `Revision ${id} cannot be undone: forget is final.`, {
    hint: 'What it removed is in no table and in no history. Nothing was changed.',
  });
}

function tooMuch(id: number, limit: string): MemoryError {
  return new MemoryError(
    'limit_exceeded',
    `To undo revision ${id} would take back more than ${limit}.`,
    {
      hint: 'Undo the newest revisions first, one at a time. Nothing was changed.',
    },
  );
}
