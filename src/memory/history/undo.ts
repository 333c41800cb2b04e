/** Takes back what a call has done, with what was built on it where that is wanted. */
import { assert, MemoryError, quote } from '#errors.ts';
import { UNDO_CHANGES_MAX, UNDO_REVISIONS_MAX, UNDO_ROWS_READ_MAX } from '#limits.ts';
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
  /** How many revisions were undone: `undone` has the newest of them. */
  readonly total: number;
  /** The last revision that compact has forgotten, where the undo would have gone further back; null else. */
  readonly horizon: number | null;
}

export function undoUseCases(world: World, writer: Writer) {
  const { store } = world;

  function takeBack(undone: readonly number[]): void {
    writer.write(() => {
      store.rewinding.takeBack(undone);
      const made = store.revisions.last();
      assert(made !== undefined, 'an undo is a revision');
      // A reference to nothing would be found too late, when the object commits.
      assert(store.rewinding.areReferencesWhole(made.id), 'an undo leaves no dangling reference');
    });
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
     * such as an expiry, is always undone with it. Throws `not_found` and `limit_exceeded`.
     */
    undoActor(actor: string, since: string, isCascading: boolean): ActorUndone {
      const afterId = lastBefore(world, since);
      const own = store.revisions.ofActor(actor, afterId);
      if (own.length === 0) throw nothingOf(world, actor, afterId);
      checkActorSize(world, own);
      const isOwnWork = (id: number) => store.revisions.find(id)?.actor === SERVER_ACTOR;
      const undone = chooseRevisions(world, own, {
        subject: `What ${quote(actor)} did`,
        areRepeatable: true,
        mayUndo: (id) => isCascading || isOwnWork(id),
      });
      checkActorSize(world, undone);
      const newest = undone.slice(0, UNDONE_SHOWN_MAX).map((id) => getRevision(world, id));
      const shown = takeCountable(newest).map((revision) => summarise(world, revision));
      takeBack(undone);
      const { horizon } = store.compactions.read();
      return {
        undone: shown,
        total: undone.length,
        revision: writer.revision,
        horizon: horizon > afterId ? horizon : null,
      };
    },
  };
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

/** Throws `limit_exceeded`, which says from where on the rest fits. `undone` comes newest first. */
function checkActorSize({ store }: World, undone: readonly number[]): void {
  let changes = 0;
  for (const [index, id] of undone.entries()) {
    changes += store.revisions.find(id)?.changes ?? 0;
    if (changes <= UNDO_CHANGES_MAX) continue;
    throw new MemoryError(
      'limit_exceeded',
      `This would take back more than ${UNDO_CHANGES_MAX} changed rows.`,
      {
        hint:
          index === 0
            ? `Revision ${id} alone is too large: restore a backup (list_files, import_database with mode: replace). Nothing was changed.`
            : `Call it with since: ${id} first, then again with the one before. Nothing was changed.`,
      },
    );
  }
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
