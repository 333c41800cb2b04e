/** What a revision did, in a few short lines: enough to know it by. */
import { REVISION_LINE_CHARS_MAX, REVISION_LINES_MAX } from '#limits.ts';
import type { Change } from '#store/history/changes.ts';
import type { Store } from '#store/store.ts';
import { shortenText, viewChanges, type ChangeView } from './change-text.ts';

/** Changes that are looked at to choose the lines from; a save of ten entities makes about as many. */
const CHANGES_READ_MAX = 40;

/** What says most comes first: a fact names its entity, and a relation mostly repeats two names. */
const RANKS: Readonly<Record<ChangeView['what'], number>> = {
  observation: 0,
  memory: 0,
  turn: 0,
  summary: 0,
  entity: 1,
  relation: 2,
  version: 3,
};

/**
 * For each revision, in their order, lines such as `+ Ada: likes tea`, `~ Ada: likes tea → likes
 * coffee` and `- Ada -[knows]-> Bob`. A last line `…` says that there is more.
 */
export function describeBriefly(store: Store, revisions: readonly number[]): string[][] {
  const changes = revisions.map((revision) => store.changes.list(revision, 0, CHANGES_READ_MAX));
  // What one of them has deleted has its name there alone.
  const gone = new Map(changes.flat().flatMap(toName));
  return changes.map((own) => toLines(store, own, gone));
}

function toName({ table, before, after }: Change): [number, string][] {
  if (table !== 'entity' || after !== null || before === null) return [];
  return [[Number(before['node_id']), String(before['name'])]];
}

function toLines(
  store: Store,
  changes: readonly Change[],
  gone: ReadonlyMap<number, string>,
): string[] {
  const replaced = new Map(changes.flatMap(toReplacement));
  const returned = new Map(changes.flatMap((change) => toReturn(change, changes)));
  const lines = viewChanges(store, changes, gone)
    .flatMap((view, index) => {
      const change = changes[index];
      return change === undefined ? [] : [{ view, change }];
    })
    .filter(
      ({ change }) => toReplacement(change).length === 0 && toReturn(change, changes).length === 0,
    )
    .toSorted((a, b) => RANKS[a.view.what] - RANKS[b.view.what])
    .map(({ view, change }) =>
      toLine(view, {
        from: replaced.get(Number(change.after?.['supersedes'])),
        to: isGone(change) ? returned.get(Number(change.before?.['node_id'])) : undefined,
      }),
    );
  const shown = lines.slice(0, REVISION_LINES_MAX);
  const isCut = lines.length > shown.length || changes.length === CHANGES_READ_MAX;
  return isCut ? [...shown, '…'] : shown;
}

/** The node and the text of a fact whose only change is that a newer version took its place. */
function toReplacement({ table, before, after }: Change): [number, string][] {
  if (table !== 'fact' || before === null || after === null) return [];
  const isReplaced =
    before['superseded_by'] === null &&
    after['superseded_by'] !== null &&
    before['content'] === after['content'];
  return isReplaced ? [[Number(before['node_id']), String(before['content'])]] : [];
}

/** The node of a newer version that an undo took away, and the text that holds again in its place. */
function toReturn(
  { table, before, after }: Change,
  changes: readonly Change[],
): [number, string][] {
  if (table !== 'fact' || before === null || after === null) return [];
  const newerId = before['superseded_by'];
  const isReturned =
    newerId !== null &&
    after['superseded_by'] === null &&
    changes.some((other) => isGone(other) && other.before?.['node_id'] === newerId);
  return isReturned ? [[Number(newerId), String(after['content'])]] : [];
}

function isGone({ table, after }: Change): boolean {
  return table === 'fact' && after === null;
}

const SIGNS = { added: '+', changed: '~', deleted: '-' } as const;

/** `other` is the text that the fact took the place of, or that took its place again. */
function toLine(
  view: ChangeView,
  other: { readonly from: string | undefined; readonly to: string | undefined },
): string {
  const { action, what, id, about } = view;
  const before = other.from ?? view.before;
  const after = other.to ?? view.after;
  const isChange = action === 'changed' || other.from !== undefined || other.to !== undefined;
  const said = isChange ? `${before} → ${after}` : (after ?? before ?? '');
  const sign = isChange ? SIGNS.changed : SIGNS[action];
  // The text of a new entity begins with its name, and that of a relation is all there is.
  const isNamed = what === 'relation' || (what === 'entity' && action !== 'changed');
  const line = isNamed ? `${sign} ${said}` : `${sign} ${about ?? id}: ${said}`;
  return shortenText(line.replaceAll(/\s+/gu, ' '), REVISION_LINE_CHARS_MAX);
}
