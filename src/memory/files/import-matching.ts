/**
 * Which nodes of a file are in the thread already: an entity by its name, a fact by its entity, its
 * content and its place in a chain of versions, a turn by its session, moment and prompt, a summary
 * by its session. Each node of the thread is matched once.
 */
import { hashText } from '#graph/text/hash.ts';
import { FILE_ROWS_PER_STATEMENT, LIST_BYTES } from '#limits.ts';
import type { Store } from '#store/store.ts';
import { numberOf, textOf, type ArchiveRow } from '#store/bulk/archive-tables.ts';
import type { ArchiveRecord, Line } from './file-lines.ts';
import type { ImportPlan } from './import-check.ts';
import {
  openCandidates,
  type Candidate,
  type Candidates,
  type LinkedFacts,
} from './fact-candidates.ts';
import { openNumberMap, type NumberMap, type ReadonlyNumberMap } from './import-tables.ts';
import type { PlannedNode, PlannedNodes } from './planned-nodes.ts';

export interface Matches {
  /** Id in the thread by the id in the file. */
  readonly ids: ReadonlyNumberMap;
  /** How the facts that were matched are linked in the thread, by their id there. */
  readonly facts: LinkedFacts;
}

export function matchNodes(
  { archive }: Pick<Store, 'archive'>,
  plan: ImportPlan,
  records: Iterable<Line<ArchiveRecord>>,
): Matches {
  const ids = openNumberMap();
  const used = openNumberMap();
  const candidates = openCandidates();

  function match(fileId: number, id: number): void {
    ids.set(fileId, id);
    used.set(id, fileId);
  }

  const entities = batch<ArchiveRow>((rows) => {
    const found = archive.findEntities(rows.map((row) => textOf(row, 'name')));
    for (const row of rows) {
      const known = found.get(textOf(row, 'name'));
      if (known !== undefined) match(numberOf(row, 'id'), known);
    }
  });
  const facts = batch<ArchiveRow>((rows) => {
    const wanted = rows.flatMap((row) => {
      const entity = row['entity'] === null ? null : ids.get(numberOf(row, 'entity'));
      // An entity that is new has no facts yet.
      if (entity === undefined) return [];
      const content = textOf(row, 'content');
      const key = numberOf(row, 'id');
      return [{ key, entity, content, hash: hashText(content), version: numberOf(row, 'version') }];
    });
    for (const { key, ...found } of archive.findFacts(wanted)) candidates.add(key, found);
  });
  const turns = batch<{ node: ArchiveRow; own: ArchiveRow }>((rows) => {
    const found = archive.findTurns(
      rows.map(({ node, own }) => ({
        key: numberOf(node, 'id'),
        sessionId: textOf(own, 'sessionId'),
        prompt: textOf(own, 'prompt'),
        createdAt: numberOf(node, 'createdAt'),
      })),
    );
    for (const { key, id } of found) if (!ids.has(key) && !used.has(id)) match(key, id);
  });
  const summaries = batch<ArchiveRow>((rows) => {
    const found = archive.findSummaries(rows.map((row) => textOf(row, 'sessionId')));
    for (const row of rows) {
      const known = found.get(textOf(row, 'sessionId'));
      if (known !== undefined) match(numberOf(row, 'id'), known);
    }
  });

  for (const { record } of records) {
    if (record.type !== 'node') continue;
    if (record.kind === 'entity') entities.add(record.own);
    if (record.kind === 'turn') turns.add(record);
    if (record.kind === 'summary') summaries.add(record.own);
    if (record.kind !== 'fact') continue;
    // A fact is looked up by its entity, which stands before it.
    if (facts.isFilledBy(record.own)) entities.flush();
    facts.add(record.own);
  }
  for (const one of [entities, facts, turns, summaries]) one.flush();

  matchChains(plan, candidates, ids, match);
  return { ids, facts: candidates };
}

/**
 * From the oldest version to the newest, so that a chain is followed as far as both have it. Where
 * they part, the thread keeps its own way, and the file's begins a chain of its own.
 */
function matchChains(
  { nodes }: ImportPlan,
  candidates: Candidates,
  ids: NumberMap,
  match: (fileId: number, id: number) => void,
): void {
  const oldestFirst = [...candidates.fileIds()].toSorted(
    (a, b) => versionOf(nodes, a) - versionOf(nodes, b) || a - b,
  );
  for (const fileId of oldestFirst) {
    const planned = nodes.get(fileId);
    const found = planned && choose(planned, candidates.freeOf(fileId), ids);
    if (found === undefined) continue;
    match(fileId, found.id);
    candidates.take(found.id);
  }
}

function choose(
  { supersedes }: PlannedNode,
  free: readonly Candidate[],
  ids: ReadonlyNumberMap,
): Candidate | undefined {
  const first = free.find((one) => one.supersedes === null);
  // Its older versions may be gone from the file, and not from the thread.
  if (supersedes === null) return first ?? free[0];
  const before = ids.get(supersedes);
  const next = before === undefined ? undefined : free.find((one) => one.supersedes === before);
  return next ?? first;
}

function versionOf(nodes: PlannedNodes, id: number): number {
  return nodes.get(id)?.version ?? 0;
}

/** Gathers what is asked or written at once: a limited number of rows, and no more text than memory should hold. */
export function batch<Item extends object>(send: (items: readonly Item[]) => void) {
  let items: Item[] = [];
  let chars = 0;
  function flush(): void {
    if (items.length === 0) return;
    const full = items;
    items = [];
    chars = 0;
    send(full);
  }
  return {
    flush,
    /** Whether an item of that kind would be sent with those that are there. */
    isFilledBy: (item: Item) =>
      items.length >= FILE_ROWS_PER_STATEMENT - 1 || chars + countText(item) > LIST_BYTES,
    add(item: Item): void {
      items.push(item);
      chars += countText(item);
      if (items.length >= FILE_ROWS_PER_STATEMENT || chars > LIST_BYTES) flush();
    },
  };
}

/** Characters of all texts in a value. */
function countText(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let chars = 0;
  for (const part of Object.values(value)) chars += countText(part);
  return chars;
}
