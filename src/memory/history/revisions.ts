/** What has been changed in a thread: revisions newest first, and what one of them did. */
import { assert, MemoryError } from '#errors.ts';
import { parseMoment } from '#graph/moment.ts';
import { REVISION_ROWS_COUNTED_MAX } from '#limits.ts';
import type { ChangeCount } from '#store/history/changes.ts';
import type { Revision } from '#store/history/revisions.ts';
import { describeBriefly } from './change-lines.ts';
import { viewChanges, type ChangeView } from './change-text.ts';
import { decodeCursor, encodeCursor } from '#memory/reading/cursor.ts';
import { timeOf } from './as-of.ts';
import type { World } from '#memory/world.ts';

export interface RevisionSummary extends Revision {
  /** Such as `save_memory added 3 entities, 6 relations`. */
  readonly summary: string;
}

/** One of a list. */
export interface ListedRevision extends RevisionSummary {
  /** What it did, in a few short lines. */
  readonly what: readonly string[];
}

export interface RevisionPage {
  readonly revisions: readonly ListedRevision[];
  readonly nextCursor: string | null;
  /** The last revision that is forgotten; 0 for none. */
  readonly horizon: number;
}

export interface RevisionDescription {
  readonly revision: RevisionSummary;
  readonly changes: readonly ChangeView[];
  readonly nextCursor: string | null;
}

export function historyUseCases(world: World) {
  const { store } = world;
  return {
    /** `since` is the number of a revision, left out itself, a time, or a day. */
    recent(
      since: string | undefined,
      { limit, cursor }: { limit: number; cursor?: string | undefined },
    ): RevisionPage {
      const afterId = since === undefined ? 0 : lastBefore(world, since);
      const beforeId = cursor === undefined ? Number.MAX_SAFE_INTEGER : decodeCursor(cursor);
      const found = store.revisions.between(afterId, beforeId, limit + 1);
      const taken = takeCountable(found.slice(0, limit));
      const last = taken.at(-1);
      const whats = describeBriefly(
        store,
        taken.map(({ id }) => id),
      );
      return {
        revisions: taken.map((revision, index) => ({
          ...summarise(world, revision),
          what: whats[index] ?? [],
        })),
        nextCursor: last && taken.length < found.length ? encodeCursor(last.id) : null,
        horizon: store.compactions.read().horizon,
      };
    },

    /** Throws `not_found`. */
    describe(
      id: number,
      { limit, cursor }: { limit: number; cursor?: string | undefined },
    ): RevisionDescription {
      const revision = getRevision(world, id);
      const afterSeq = cursor === undefined ? 0 : decodeCursor(cursor);
      const found = store.changes.list(id, afterSeq, limit + 1);
      const taken = found.slice(0, limit);
      const last = taken.at(-1);
      return {
        revision: summarise(world, revision),
        changes: viewChanges(store, taken),
        nextCursor: last && taken.length < found.length ? encodeCursor(last.seq) : null,
      };
    },
  };
}

/** Throws `not_found`, which tells a revision that is forgotten from one that never was. */
export function getRevision({ store }: World, id: number): Revision {
  const revision = store.revisions.find(id);
  if (revision !== undefined) return revision;
  const { horizon, horizonAt } = store.compactions.read();
  const first = store.revisions.first();
  if (id > 0 && id <= horizon) {
    throw new MemoryError(
      'not_found',
      `Revision ${id} is forgotten: compact has removed the history up to revision ${horizon}, of ${timeOf(horizonAt)}.`,
      {
        hint:
          first === undefined
            ? 'Nothing has been changed since.'
            : `The oldest revision left is ${first.id}, of ${timeOf(first.at)}.`,
      },
    );
  }
  throw new MemoryError('not_found', `There is no revision ${id}.`, {
    hint: 'get_recent_changes lists them. A call that changed nothing has none.',
  });
}

/** The revision after which `since` begins: a day begins with its first moment. */
export function lastBefore({ store }: World, since: string): number {
  const moment = parseMoment(since);
  assert(moment !== undefined, 'The input of a tool has been parsed.');
  if ('revision' in moment) return moment.revision;
  return store.revisions.lastUntil(moment.from - 1)?.id ?? 0;
}

/** As many as may be counted in one call, and one at least. */
export function takeCountable(revisions: readonly Revision[]): Revision[] {
  let rows = 0;
  const end = revisions.findIndex(({ changes }, index) => {
    rows += changes;
    return index > 0 && rows > REVISION_ROWS_COUNTED_MAX;
  });
  return revisions.slice(0, end === -1 ? revisions.length : end);
}

export function summarise({ store }: World, revision: Revision): RevisionSummary {
  const counts = store.changes.count(revision.id, REVISION_ROWS_COUNTED_MAX);
  const isCut = revision.changes > REVISION_ROWS_COUNTED_MAX;
  const nothing = revision.tool === 'forget' ? 'removed something for good' : 'changed dates alone';
  const done = counts.length === 0 ? nothing : describeCounts(counts);
  return { ...revision, summary: `${revision.tool} ${done}${isCut ? ' and more' : ''}` };
}

const PLURALS: Readonly<Record<ChangeCount['what'], string>> = {
  entity: 'entities',
  observation: 'observations',
  memory: 'memories',
  relation: 'relations',
  turn: 'turns',
  summary: 'summaries',
};

/** Such as `added 3 entities, 6 relations; deleted 1 observation`. */
function describeCounts(counts: readonly ChangeCount[]): string {
  const byAction = Map.groupBy(counts, ({ action }) => action);
  return [...byAction]
    .map(([action, own]) => {
      const things = own.map(({ what, count }) => `${count} ${count === 1 ? what : PLURALS[what]}`);
      return `${action} ${things.join(', ')}`;
    })
    .join('; ');
}
