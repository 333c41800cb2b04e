/** Takes back what a call has done, with what was built on it where that is wanted. */
import { assert, MemoryError } from '#errors.ts';
import { UNDO_CHANGES_MAX, UNDO_DISTANCE_MAX, UNDO_REVISIONS_MAX } from '#limits.ts';
import type { Touch } from '#store/changes.ts';
import { nameChange, viewChanges } from './change-views.ts';
import { getRevision, summarise, type RevisionSummary } from './history.ts';
import { timeOf } from './past.ts';
import { findConflicts, readSince, type Conflict } from './undo-plan.ts';
import type { World } from './world.ts';
import type { Writer } from './writing.ts';

export interface Undone {
  /** What was undone, newest first. */
  readonly undone: readonly RevisionSummary[];
  /** The revision that the undo made; null when everything had been taken back already. */
  readonly revision: number | null;
}

export function undoUseCases(world: World, writer: Writer) {
  const { store } = world;
  return {
    /**
     * Rows become what they were before the revision. Throws `conflict`, naming what is in the way,
     * when something else has met them since; with `isCascading` that is undone too. Throws
     * `not_found` and `limit_exceeded`.
     */
    undo(id: number, isCascading: boolean): Undone {
      const target = getRevision(world, id);
      checkDistance(world, id);
      const undone = chooseRevisions(world, id, isCascading);
      const revisions = undone.map((one) => getRevision(world, one));
      checkSize(
        revisions.reduce((sum, { changes }) => sum + changes, 0),
        target.id,
      );
      const summaries = revisions.map((revision) => summarise(world, revision));
      writer.write(() => {
        store.rewinding.takeBack(undone);
        const made = store.revisions.last();
        assert(made !== undefined, 'an undo is a revision');
        // A reference to nothing would be found too late, when the object commits.
        assert(store.rewinding.areReferencesWhole(made.id), 'an undo leaves no dangling reference');
      });
      return { undone: summaries, revision: writer.revision };
    },
  };
}

/** Newest first. Reads alone, so that nothing comes between this and the undo. */
function chooseRevisions(world: World, id: number, isCascading: boolean): number[] {
  const since = readSince(world.store, id);
  const undone = new Set([id]);
  for (;;) {
    const conflicts = findConflicts(world.store, since, undone);
    if (conflicts.length === 0) return [...undone].toSorted((a, b) => b - a);
    const further = conflicts.flatMap(({ by }) => by?.revision ?? []);
    const isKnown = conflicts.length === further.length && further.some((one) => !undone.has(one));
    if (!isCascading || !isKnown) throw refuse(world, id, conflicts);
    for (const one of further) undone.add(one);
    if (undone.size > UNDO_REVISIONS_MAX) throw tooMuch(id, `${UNDO_REVISIONS_MAX} revisions`);
  }
}

/** Names the newest of the changes that are in the way: it is the one to be undone first. */
function refuse(world: World, id: number, conflicts: readonly Conflict[]): MemoryError {
  const touches = conflicts.flatMap(({ by }) => by ?? []);
  const by = touches.toSorted((a, b) => b.revision - a.revision || a.seq - b.seq)[0];
  if (by === undefined) {
    return new MemoryError('conflict', `Revision ${id} cannot be undone: its rows have changed.`, {
      hint: 'describe_revision shows what was there before.',
    });
  }
  const { tool, at } = getRevision(world, by.revision);
  const others = new Set(touches.map(({ revision }) => revision)).size - 1;
  return new MemoryError(
    'conflict',
    `Revision ${id} cannot be undone: revision ${by.revision} (${tool}, ${timeOf(at)}) has since ${describeTouch(world, by)}${others > 0 ? `, and ${others} more revisions stand in the way` : ''}.`,
    { hint: advise(id, by, tool) },
  );
}

function describeTouch({ store }: World, { revision, seq }: Touch): string {
  const change = store.changes.find(revision, seq);
  const [view] = change === undefined ? [] : viewChanges(store, [change]);
  return view === undefined ? 'changed its rows' : `${view.action} ${nameChange(view)}`;
}

function advise(id: number, by: Touch, tool: string): string {
  const cascade = `call undo_revision with cascade: true, which undoes what was built on it too. Nothing was changed.`;
  return tool === 'undo_revision'
    ? `It may have been undone already: describe_revision shows revision ${by.revision}. Undo that one to have revision ${id} back, or ${cascade}`
    : `Undo revision ${by.revision} first, or ${cascade}`;
}

function checkDistance({ store }: World, id: number): void {
  const later = store.revisions.between(id - 1, Number.MAX_SAFE_INTEGER, UNDO_DISTANCE_MAX + 1);
  const changes = later.reduce((sum, revision) => sum + revision.changes, 0);
  if (changes <= UNDO_DISTANCE_MAX) return;
  throw new MemoryError(
    'limit_exceeded',
    `More than ${UNDO_DISTANCE_MAX} rows have changed since revision ${id}, which is too far back to be undone.`,
    { hint: 'describe_revision shows what was there before; store it again, or delete it.' },
  );
}

function checkSize(changes: number, id: number): void {
  if (changes > UNDO_CHANGES_MAX) throw tooMuch(id, `${UNDO_CHANGES_MAX} changed rows`);
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
