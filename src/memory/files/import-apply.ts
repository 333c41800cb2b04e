/** Writes the records of a file that fits together, inside a transaction that the caller opened. */
import type { ArchivedChange, ArchivedRevision } from '#store/bulk/archive-reading.ts';
import type { ChainLink, Standing } from '#store/bulk/archive-writing.ts';
import type { NodeStatus } from '#graph/status.ts';
import {
  keyOf,
  ARCHIVE_TABLES,
  type ArchiveRow,
  type ArchiveTable,
} from '#store/bulk/archive-tables.ts';
import type { Store } from '#store/store.ts';
import { parseId } from '#graph/ids.ts';
import type { NodeKind } from '#graph/ids.ts';
import type { ArchiveRecord, Line } from './file-lines.ts';
import { batch, type Matches } from './import-matching.ts';
import type { ImportPlan } from './import-check.ts';
import { keyOfText, openKeyIndex, type KeyIndex, type ReadonlyNumberMap } from './import-tables.ts';

export type ImportMode = 'merge' | 'replace';

export interface WriteOptions {
  readonly plan: ImportPlan;
  /** Nodes that are there already. */
  readonly matches: Matches;
  /** Id in the thread of every node of the file. */
  readonly ids: Pick<ReadonlyNumberMap, 'get'>;
  readonly mode: ImportMode;
  readonly records: RecordReader;
}

/** Records of the plan, read again for each pass: all of some types, and perhaps others between them. */
export type RecordReader = (
  ...types: readonly ArchiveRecord['type'][]
) => Iterable<Line<ArchiveRecord>>;

type Archive = Store['archive'];

/**
 * In this order: an edge is counted by the entities at its ends, an observation by its entity.
 * Returns how many edges are new.
 */
export function writeGraph(archive: Archive, options: WriteOptions): number {
  writeNodes(archive, options);
  linkChains(archive, options);
  return writeEdges(archive, options);
}

function writeNodes(archive: Archive, { matches, ids, mode, plan, records }: WriteOptions): void {
  const insert = openNodeBatch((table, rows) => archive.insert(table, rows));
  const update = openNodeBatch((table, rows) => {
    // What was said is said: no tool changes a turn, and so does no merge.
    if (mode === 'replace' || table !== 'turn') archive.update(table, rows);
  });
  const known = batch<NodeRecord>((found) => {
    const newer = mode === 'replace' ? found : takeNewer(archive, found);
    for (const one of newer) update.add(one);
  });
  const adopt = (id: unknown) => adoptId(ids, id);
  for (const { record } of records('node')) {
    if (record.type !== 'node') continue;
    const id = adopt(record.node['id']);
    const { kind, own } = record;
    const mapped: NodeRecord = {
      kind,
      node: { ...record.node, id, source: adoptSource(ids, record.node['source']) },
      own:
        kind === 'fact'
          ? // Links are made when both ends are there.
            { ...own, id, entity: adopt(own['entity']), supersedes: null, supersededBy: null }
          : { ...own, id },
    };
    if (!matches.ids.has(Number(record.node['id']))) insert.add(mapped);
    // A file of another server knows nothing that could be newer.
    else if (mode === 'replace' || plan.header !== undefined) known.add(mapped);
  }
  insert.flush();
  known.flush();
  update.flush();
}

interface NodeRecord {
  readonly kind: NodeKind;
  readonly node: ArchiveRow;
  readonly own: ArchiveRow;
}

/** Nodes before their own rows, entities before facts. */
function openNodeBatch(send: (table: ArchiveTable, rows: readonly ArchiveRow[]) => void) {
  return batch<NodeRecord>((records) => {
    send(
      'node',
      records.map(({ node }) => node),
    );
    for (const kind of ['entity', 'fact', 'turn', 'summary'] as const) {
      send(
        kind,
        records.filter((one) => one.kind === kind).map(({ own }) => own),
      );
    }
  });
}

/** Of known nodes those that the file has changed last, none of which says less than the thread does. */
function takeNewer(archive: Archive, records: readonly NodeRecord[]): NodeRecord[] {
  const standings = archive.standings(records.map(({ node }) => Number(node['id'])));
  return records.flatMap((record) => {
    const own = standings.get(Number(record.node['id']));
    if (own === undefined || own.updatedAt >= Number(record.node['updatedAt'])) return [];
    return [{ ...record, node: { ...record.node, ...raise(own, record.node) } }];
  });
}

/** From what is in every answer to what is in none. */
const STATUSES: readonly NodeStatus[] = ['active', 'outdated', 'archived'];

/**
 * The better of both: a file is written by its sender, whose credential may not be able to remove. It
 * can neither hide what the thread has, nor let it end sooner, nor make it less certain.
 */
function raise(own: Standing, node: ArchiveRow): ArchiveRow {
  const isLonger =
    own.expiresAt !== null &&
    (node['expiresAt'] === null || Number(node['expiresAt']) > own.expiresAt);
  return {
    status: STATUSES.find((one) => one === own.status || one === node['status']) ?? own.status,
    confidence: Math.max(own.confidence, Number(node['confidence'])),
    ...(!isLonger && { expiresAt: own.expiresAt, ttlDays: own.ttlDays }),
  };
}

function adoptId(ids: WriteOptions['ids'], id: unknown): number | null {
  return typeof id === 'number' ? (ids.get(id) ?? null) : null;
}

/** A source may be the turn that a fact came from. */
function adoptSource(ids: WriteOptions['ids'], source: ArchiveRow[string] | undefined) {
  const turn = typeof source === 'string' ? parseId('turn', source) : undefined;
  const adopted = turn === undefined ? undefined : ids.get(turn);
  return adopted === undefined ? (source ?? null) : `turn_${adopted}`;
}

/** In a merge a link is made where neither end has another: what the thread says stays said. */
function linkChains(archive: Archive, { plan, ids, matches, mode }: WriteOptions): void {
  const back = batch<ChainLink>((links) => archive.linkBack(links));
  const on = batch<ChainLink>((links) => archive.linkOn(links));
  for (const [fileId, { kind, supersedes, supersededBy }] of plan.nodes) {
    if (kind !== 'fact') continue;
    const id = Number(adoptId(ids, fileId));
    const older = adoptId(ids, supersedes);
    const newer = adoptId(ids, supersededBy);
    if (mode === 'replace') {
      // What is new has no links, and most facts have none at all.
      if (older !== null || matches.facts.has(id)) back.add({ id, other: older });
      if (newer !== null || matches.facts.has(id)) on.add({ id, other: newer });
      continue;
    }
    if (older === null) continue;
    const isFree = (matches.facts.get(older)?.supersededBy ?? null) === null;
    const isFirst = (matches.facts.get(id)?.supersedes ?? null) === null;
    if (!isFree || !isFirst) continue;
    back.add({ id, other: older });
    on.add({ id: older, other: id });
  }
  back.flush();
  on.flush();
}

/** Edges, then kept states. In a merge what is there stays as it is. Returns how many edges are new. */
function writeEdges(archive: Archive, { ids, mode, records }: WriteOptions): number {
  const added = { edge: 0, version: 0 };
  const written = { edge: openKeyIndex(), version: openKeyIndex() };
  const send = (table: 'edge' | 'version') =>
    batch<ArchiveRow>((rows) => {
      const known = archive.findKnown(table, rows);
      const fresh = rows.filter((row) => !known.has(keyOf(table, row)));
      archive.insert(table, fresh);
      added[table] += fresh.length;
      if (mode === 'merge') return;
      archive.update(
        table,
        rows.filter((row) => known.has(keyOf(table, row))),
      );
      for (const row of rows) written[table].add(keyOfText(keyOf(table, row)));
    });
  const batches = { edge: send('edge'), version: send('version') };
  for (const { record } of records('edge', 'version')) {
    if (record.type === 'edge') {
      const { row } = record;
      batches.edge.add({ ...row, from: adoptId(ids, row['from']), to: adoptId(ids, row['to']) });
    }
    if (record.type === 'version') batches.version.add(adoptVersion(ids, record.row));
  }
  batches.edge.flush();
  batches.version.flush();
  if (mode === 'replace') removeOthers(archive, written);
  return added.edge;
}

function adoptVersion(ids: WriteOptions['ids'], row: ArchiveRow): ArchiveRow {
  const node = adoptId(ids, row['node']);
  const state = row['state'] as ArchiveRow;
  return {
    ...row,
    node,
    state: {
      ...state,
      nodeId: node,
      entityId: adoptId(ids, state['entityId']),
      supersededBy: adoptId(ids, state['supersededBy']),
    },
  };
}

function removeOthers(archive: Archive, written: Record<'edge' | 'version', KeyIndex>): void {
  const kinds = ['entity', 'fact', 'turn', 'summary'] as const;
  const isOther = (table: 'edge' | 'version', row: ArchiveRow) =>
    written[table].find(keyOfText(keyOf(table, row))) === undefined;
  const edges = batch<ArchiveRow>((rows) => archive.removeEdges(rows));
  // A page is read after the last row of the one before, whether or not that is still there.
  for (const row of archive.edges(kinds)) if (isOther('edge', row)) edges.add(row);
  edges.flush();
  const versions = batch<ArchiveRow>((rows) => archive.removeVersions(rows));
  for (const row of archive.versions(kinds)) if (isOther('version', row)) versions.add(row);
  versions.flush();
}

/** Puts the history of the file in the place of what writing its records has left. */
export function writeHistory(archive: Archive, { plan, records }: WriteOptions): void {
  const revisions = batch<ArchivedRevision>((found) => archive.insertRevisions(found));
  const changes = batch<ArchivedChange>((found) => {
    revisions.flush();
    for (const table of ARCHIVE_TABLES) {
      const ofTable = found.filter(({ of }) => of === table);
      if (ofTable.length > 0) archive.insertChanges(table, ofTable);
    }
  });
  archive.forgetHistory();
  for (const { record } of records('revision', 'change')) {
    if (record.type === 'revision') revisions.add(record.revision);
    if (record.type === 'change') changes.add(record.change);
  }
  revisions.flush();
  changes.flush();
  const {
    lastId = 0,
    forgottenTo = 0,
    forgottenAt = 0,
    savesAccepted = 0,
    savesRejected = 0,
  } = plan.header ?? {};
  archive.adopt(lastId, { horizon: forgottenTo, horizonAt: forgottenAt });
  archive.addSaves(savesAccepted, savesRejected);
}
