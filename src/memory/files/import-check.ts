/**
 * What a file holds as a whole: whether its records fit together, and what is needed to write them.
 * It keeps a little of each record, never a text.
 */
import type { NodeKind } from '#graph/ids.ts';
import { FILE_CLOCK_AHEAD_MS, KEPT_ID_MAX } from '#limits.ts';
import { keyOf, numberOf, textOf, type ArchiveRow } from '#store/bulk/archive-tables.ts';
import { RecordFault } from './file-fields.ts';
import { COUNTED, type ArchiveHeader, type ArchiveRecord, type ReadLine } from './file-lines.ts';
import type { ArchiveCounts } from './file-format.ts';
import type { FaultList, LineFault } from './file-faults.ts';
import { openHistoryCheck, openOrderCheck } from './import-history.ts';
import { columns, keyOfText, openLineIndex, type LineIndex } from './import-tables.ts';
import {
  openPlannedNodes,
  type GrowingNodes,
  type PlannedNode,
  type PlannedNodes,
} from './planned-nodes.ts';

export interface ImportPlan {
  /** Undefined for a file of another server. */
  readonly header: ArchiveHeader | undefined;
  /** By the id in the file, in the order of the file. */
  readonly nodes: PlannedNodes;
  /** Whether the file tells how it came to be, and all of it fits. */
  readonly hasHistory: boolean;
  /** What is wrong with the history, if it is left out for that; nothing else is left out with it. */
  readonly historyFault: LineFault | undefined;
  /** Whether a thread that holds nothing can have the ids of the file, and go on after them. */
  readonly keepsIds: boolean;
}

const KIND_COUNTS = {
  entity: 'entities',
  fact: 'facts',
  turn: 'turns',
  summary: 'summaries',
} as const satisfies Record<NodeKind, keyof ArchiveCounts>;

const NO_COUNTS: ArchiveCounts = {
  entities: 0,
  facts: 0,
  turns: 0,
  summaries: 0,
  edges: 0,
  versions: 0,
  revisions: 0,
  changes: 0,
};

/**
 * Notes everything that does not fit in `faults`, and plans what fits. A history leads to a whole
 * file alone, so that the plan of a file with a fault has none; a fault of the history alone leaves out
 * nothing but the history. `now` in epoch milliseconds: nothing was done long after it.
 */
export function planImport(
  records: Iterable<ReadLine>,
  faults: FaultList,
  now: number,
): ImportPlan {
  const planner = openPlanner(faults, now);
  for (const read of records) planner.take(read);
  return planner.finish();
}

/** As `planImport`, for lines that come one by one. */
export function openPlanner(faults: FaultList, now: number) {
  const nodes = openPlannedNodes();
  const names = openLineIndex();
  const sessions = openLineIndex();
  const pairs = openPairs();
  const story = openStory(faults, now);
  const counts: { -readonly [Name in keyof ArchiveCounts]: number } = { ...NO_COUNTS };
  let header: ArchiveHeader | undefined;
  let lastId = 0;

  function addNode(line: number, kind: NodeKind, node: ArchiveRow, own: ArchiveRow): void {
    const id = numberOf(node, 'id');
    const twin = nodes.get(id);
    if (twin) throw new RecordFault(`the id ${id} is that of line ${twin.line} too`);
    const entity = toId(own['entity']);
    if (kind === 'fact' && entity !== null && nodes.get(entity)?.kind !== 'entity') {
      throw new RecordFault(`no line before it has the entity ${entity} that it is about`);
    }
    if (kind === 'entity') claim(names, textOf(own, 'name'), line, 'an entity of that name');
    if (kind === 'summary')
      claim(sessions, textOf(own, 'sessionId'), line, 'a summary of that session');
    nodes.add(id, toPlanned(line, kind, own));
    lastId = Math.max(lastId, id);
    counts[KIND_COUNTS[kind]] += 1;
    story.expect('node', node, line);
    story.expect(kind, own, line);
  }

  function addPair(line: number, table: 'edge' | 'version', row: ArchiveRow): void {
    const [end, otherEnd] = table === 'edge' ? [row['from'], row['to']] : [row['node'], null];
    const twin = pairs.add(`${table} ${keyOf(table, row)}`, line, [Number(end), Number(otherEnd)]);
    if (twin !== undefined) throw new RecordFault(`line ${twin} has the same ${table}`);
    counts[table === 'edge' ? 'edges' : 'versions'] += 1;
    story.expect(table, row, line);
  }

  function addRecord(line: number, record: ArchiveRecord): void {
    switch (record.type) {
      case 'header':
        if (line !== 1 && (header !== undefined || lastId > 0)) {
          throw new RecordFault('a header can only be the first line');
        }
        header = record;
        lastId = record.lastId;
        return;
      case 'node':
        return addNode(line, record.kind, record.node, record.own);
      case 'edge':
      case 'version':
        return addPair(line, record.type, record.row);
      case 'revision':
        counts.revisions += 1;
        return story.follow(line, ({ order }) => order.addRevision(record.revision, header));
      case 'change':
        counts.changes += 1;
        story.follow(line, ({ order, rows }) => {
          order.addChange(record.change);
          rows.add(record.change, line);
        });
    }
  }

  return {
    take(read: ReadLine): void {
      if ('problem' in read) {
        if (read.isHistory) story.spoil(read.problem, read.line);
        else faults.add(read);
        return;
      }
      noteFault(
        () => addRecord(read.line, read.record),
        (problem) => faults.leave(read.line, problem),
      );
    },

    finish(): ImportPlan {
      checkChains(nodes, faults);
      checkEnds(pairs.all(), nodes, faults);
      if (faults.count === 0) {
        noteFault(
          () => checkCounts(header, counts, GRAPH_COUNTED),
          (problem, line) => faults.add({ line, problem }),
        );
      }
      const keepsIds = lastId <= KEPT_ID_MAX;
      const historyFault = story.finish({ header, counts, keepsIds });
      const hasHistory = counts.revisions > 0 && faults.count === 0 && historyFault === undefined;
      return { header, nodes, hasHistory, historyFault, keepsIds };
    },
  };
}

/** The history of a file up to its first fault. */
function openStory(faults: FaultList, now: number) {
  const rows = openHistoryCheck();
  const order = openOrderCheck(now + FILE_CLOCK_AHEAD_MS);
  let fault: LineFault | undefined;

  function spoil(problem: string, line: number | null): void {
    fault ??= { line, problem };
  }

  /** What was left out of the graph is in no state that a history leads to: nothing is checked then. */
  function follow(
    line: number | null,
    check: (parts: { order: typeof order; rows: typeof rows }) => void,
  ): void {
    if (faults.count > 0 || fault !== undefined) return;
    noteFault(
      () => check({ order, rows }),
      (problem, at) => spoil(problem, at ?? line),
    );
  }

  return {
    expect: rows.expect,
    spoil,
    follow,
    finish({ header, counts, keepsIds }: StoryEnd): LineFault | undefined {
      const isCut = (header?.forgottenTo ?? 0) > 0;
      follow(null, () => checkCounts(header, counts, HISTORY_COUNTED));
      follow(null, () => order.finish());
      follow(null, () => checkRoom(keepsIds, header, now));
      if (counts.revisions > 0) follow(null, () => rows.finish(isCut));
      return fault;
    },
  };
}

interface StoryEnd {
  readonly header: ArchiveHeader | undefined;
  readonly counts: ArchiveCounts;
  readonly keepsIds: boolean;
}

/** What a thread must be able to go on from. Throws `RecordFault`. */
function checkRoom(keepsIds: boolean, header: ArchiveHeader | undefined, now: number): void {
  if (!keepsIds) throw new RecordFault(`an id above ${KEPT_ID_MAX} leaves no room for new ones`);
  if (header && header.forgottenAt > now + FILE_CLOCK_AHEAD_MS) {
    throw new RecordFault('the header says that history was forgotten in the future', 1);
  }
}

/** Tells of the `RecordFault` that `work` throws, and of the line that it names, if it names one. */
function noteFault(work: () => void, tell: (problem: string, line: number | null) => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof RecordFault)) throw error;
    tell(error.message, error.line);
  }
}

function toId(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function toPlanned(line: number, kind: NodeKind, own: ArchiveRow): PlannedNode {
  return {
    line,
    kind,
    entity: toId(own['entity']),
    version: kind === 'fact' ? numberOf(own, 'version') : 0,
    supersedes: toId(own['supersedes']),
    supersededBy: toId(own['supersededBy']),
  };
}

/** Throws `RecordFault` for a name that a line before has. */
function claim(taken: LineIndex, name: string, line: number, what: string): void {
  const twin = taken.claim(keyOfText(name), line);
  if (twin !== undefined) throw new RecordFault(`line ${twin} has ${what} already`);
}

/** Edges and kept states, and the nodes that they are of: 0 in the place of one that there is not. */
function openPairs() {
  const index = openLineIndex();
  const lines = columns.counts();
  const ends = [columns.ids(), columns.ids()] as const;
  let size = 0;
  return {
    /** The line that has the same one already. */
    add(key: string, line: number, of: readonly [number, number]): number | undefined {
      const twin = index.claim(keyOfText(key), line);
      if (twin !== undefined) return twin;
      lines.set(size, line);
      for (const place of [0, 1] as const) ends[place].set(size, of[place]);
      size += 1;
      return undefined;
    },

    *all(): Generator<{ readonly line: number; readonly ends: readonly number[] }> {
      for (let row = 0; row < size; row += 1) {
        const of = ends.map((end) => end.get(row)).filter((id) => id > 0);
        yield { line: lines.get(row), ends: of };
      }
    },
  };
}

/** Leaves out what is of a node that is not there. */
function checkEnds(
  pairs: Iterable<{ readonly line: number; readonly ends: readonly number[] }>,
  nodes: PlannedNodes,
  faults: FaultList,
): void {
  for (const { line, ends } of pairs) {
    const missing = ends.find((end) => !nodes.has(end));
    if (missing !== undefined) faults.leave(line, `there is no node ${missing}`);
  }
}

/** Takes each fact whose chain is wrong out of `nodes`, and then looks at its neighbours again. */
function checkChains(nodes: GrowingNodes, faults: FaultList): void {
  const ids = [...nodes.ids()];
  for (let next = 0; next < ids.length; next += 1) {
    const id = ids[next] ?? 0;
    const node = nodes.get(id);
    const problem = node && findChainProblem(nodes, id, node);
    if (node === undefined || problem === undefined) continue;
    nodes.remove(id);
    faults.leave(node.line, problem);
    for (const other of [node.supersedes, node.supersededBy]) if (other !== null) ids.push(other);
  }
}

/** Both facts say so, they are about the same entity, and versions rise: then no chain is a circle. */
function findChainProblem(
  nodes: PlannedNodes,
  id: number,
  { supersedes, supersededBy, version, entity }: PlannedNode,
): string | undefined {
  const older = supersedes === null ? undefined : nodes.get(supersedes);
  if (supersedes !== null && older?.kind !== 'fact') {
    return `there is no fact ${supersedes} that it could supersede`;
  }
  if (older && older.supersededBy !== id) {
    return `it supersedes ${supersedes}, which does not say that it is superseded by it`;
  }
  if (older && older.version >= version) {
    return `version ${version} supersedes version ${older.version}: versions rise and go in no circle`;
  }
  if (older && older.entity !== entity) return 'it is about another entity than the version before';
  const newer = supersededBy === null ? undefined : nodes.get(supersededBy);
  if (supersededBy !== null && newer?.kind !== 'fact') {
    return `there is no fact ${supersededBy} that it could be superseded by`;
  }
  if (newer && newer.supersedes !== id) {
    return `it is superseded by ${supersededBy}, which does not say that it supersedes it`;
  }
  return undefined;
}

const HISTORY_COUNTED = ['revisions', 'changes'] as const satisfies (keyof ArchiveCounts)[];
const GRAPH_COUNTED = COUNTED.filter((name) => name !== 'revisions' && name !== 'changes');

/** A file that was cut between two lines is found out by what its header promised. */
function checkCounts(
  header: ArchiveHeader | undefined,
  counts: ArchiveCounts,
  names: readonly (keyof ArchiveCounts)[],
): void {
  for (const name of names) {
    const promised = header?.counts[name];
    if (promised !== undefined && promised !== counts[name]) {
      throw new RecordFault(
        `the header promises ${promised} ${name}, and there are ${counts[name]}: the file is cut off or was edited. Leave counts out of the header of an edited file`,
      );
    }
  }
}
