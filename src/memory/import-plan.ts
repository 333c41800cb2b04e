/**
 * What a file holds as a whole: whether its records fit together, and what is needed to write them.
 * It keeps a little of each record, never a text.
 */
import { hashText } from '#graph/hash.ts';
import type { NodeKind } from '#graph/ids.ts';
import type { ArchivedChange } from '#store/archive-reading.ts';
import {
  historyOf,
  keyOf,
  numberOf,
  textOf,
  type ArchiveRow,
  type ArchiveTable,
} from '#store/archive-tables.ts';
import { RecordFault } from './archive-cells.ts';
import { COUNTED, type ArchiveHeader, type ArchiveRecord, type Line } from './archive-lines.ts';
import type { ArchiveCounts } from './archiving.ts';
import type { FaultList } from './file-faults.ts';
import type { ReadLine } from './import-staging.ts';

export interface PlannedNode {
  readonly line: number;
  readonly kind: NodeKind;
  /** Of a fact; null for none. */
  readonly entity: number | null;
  /** 0 for what has no versions. */
  readonly version: number;
  readonly supersedes: number | null;
  readonly supersededBy: number | null;
}

export interface ImportPlan {
  /** Undefined for a file of another server. */
  readonly header: ArchiveHeader | undefined;
  /** By the id in the file, in the order of the file. */
  readonly nodes: ReadonlyMap<number, PlannedNode>;
  /** Whether the file tells how it came to be, and all of it fits. */
  readonly hasHistory: boolean;
}

/** How a row stands at some point of the history: a digest of it, and the line that says so. */
interface Stand {
  readonly digest: number;
  readonly line: number;
}

const KIND_COUNTS = {
  entity: 'entities',
  fact: 'facts',
  turn: 'turns',
  summary: 'summaries',
} as const satisfies Record<NodeKind, keyof ArchiveCounts>;

/** An edge or a kept state, and the nodes that it is of. */
interface Pair {
  readonly line: number;
  readonly ends: readonly number[];
}

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
 * file alone, so that the plan of a file with a fault has none.
 */
export function planImport(records: Iterable<ReadLine>, faults: FaultList): ImportPlan {
  const planner = openPlanner(faults);
  for (const read of records) {
    if ('problem' in read) faults.add(read);
    else planner.add(read);
  }
  return planner.finish();
}

function openPlanner(faults: FaultList) {
  const nodes = new Map<number, PlannedNode>();
  const names = new Map<string, number>();
  const sessions = new Map<string, number>();
  const pairs = new Map<string, Pair>();
  const history = openHistoryCheck();
  const order = openOrderCheck();
  const counts: { -readonly [Name in keyof ArchiveCounts]: number } = { ...NO_COUNTS };
  let header: ArchiveHeader | undefined;

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
    nodes.set(id, toPlanned(line, kind, own));
    counts[KIND_COUNTS[kind]] += 1;
    history.expect('node', node, line);
    history.expect(kind, own, line);
  }

  function addPair(line: number, table: 'edge' | 'version', row: ArchiveRow): void {
    const key = `${table} ${keyOf(table, row)}`;
    const twin = pairs.get(key);
    if (twin) throw new RecordFault(`line ${twin.line} has the same ${table}`);
    const ends = table === 'edge' ? [row['from'], row['to']] : [row['node']];
    pairs.set(key, { line, ends: ends.map(Number) });
    counts[table === 'edge' ? 'edges' : 'versions'] += 1;
    history.expect(table, row, line);
  }

  function addRecord(line: number, record: ArchiveRecord): void {
    switch (record.type) {
      case 'header':
        if (line !== 1 && (header !== undefined || nodes.size > 0)) {
          throw new RecordFault('a header can only be the first line');
        }
        header = record;
        return;
      case 'node':
        return addNode(line, record.kind, record.node, record.own);
      case 'edge':
      case 'version':
        return addPair(line, record.type, record.row);
      case 'revision':
        counts.revisions += 1;
        if (faults.count === 0) order.addRevision(record.revision.id, header);
        return;
      case 'change':
        counts.changes += 1;
        if (faults.count > 0) return;
        order.addChange(record.change);
        history.add(record.change, line);
    }
  }

  return {
    add({ line, record }: Line<ArchiveRecord>): void {
      noteFault(
        () => addRecord(line, record),
        (problem) => faults.leave(line, problem),
      );
    },

    finish(): ImportPlan {
      checkChains(nodes, faults);
      checkEnds(pairs.values(), nodes, faults);
      const isCut = (header?.forgottenTo ?? 0) > 0;
      const story = counts.revisions > 0 ? [order.finish, () => history.finish(isCut)] : [];
      checkWhole(faults, [() => checkCounts(header, counts), ...story]);
      return { header, nodes, hasHistory: counts.revisions > 0 && faults.count === 0 };
    },
  };
}

/**
 * Makes one check after the other, until one finds a fault: what was left out is in no count, and in
 * no state that a history leads to.
 */
function checkWhole(faults: FaultList, checks: readonly (() => void)[]): void {
  for (const check of checks) {
    if (faults.count > 0) return;
    noteFault(check, (problem, line) => faults.add({ line, problem }));
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

/** Revisions rise, each has changes, and the changes follow it. Throws `RecordFault`. */
function openOrderCheck() {
  let lastRevision = 0;
  let lastNumber = 0;
  const isEmpty = () => lastRevision > 0 && lastNumber === 0;
  return {
    addRevision(id: number, header: ArchiveHeader | undefined): void {
      if (id <= lastRevision) {
        throw new RecordFault(`revision ${id} does not follow ${lastRevision}`);
      }
      if (id <= (header?.forgottenTo ?? 0)) {
        throw new RecordFault(`revision ${id} is forgotten, as the header says`);
      }
      if (isEmpty()) throw new RecordFault(`revision ${lastRevision} before it has no changes`);
      lastRevision = id;
      lastNumber = 0;
    },

    addChange({ revision, number }: ArchivedChange): void {
      if (revision !== lastRevision) {
        throw new RecordFault(`it is of the revision ${revision}, but follows ${lastRevision}`);
      }
      if (number <= lastNumber) {
        throw new RecordFault(`number ${number} does not follow ${lastNumber}`);
      }
      lastNumber = number;
    },

    finish(): void {
      if (!isEmpty()) return;
      throw new RecordFault(`revision ${lastRevision} has no changes: the file is cut off`);
    },
  };
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
function claim(taken: Map<string, number>, name: string, line: number, what: string): void {
  const twin = taken.get(name);
  if (twin !== undefined) throw new RecordFault(`line ${twin} has ${what} already`);
  taken.set(name, line);
}

/** Leaves out what is of a node that is not there. */
function checkEnds(
  pairs: Iterable<Pair>,
  nodes: ReadonlyMap<number, PlannedNode>,
  faults: FaultList,
): void {
  for (const { line, ends } of pairs) {
    const missing = ends.find((end) => !nodes.has(end));
    if (missing !== undefined) faults.leave(line, `there is no node ${missing}`);
  }
}

/** Takes each fact whose chain is wrong out of `nodes`, and then looks at its neighbours again. */
function checkChains(nodes: Map<number, PlannedNode>, faults: FaultList): void {
  const ids = [...nodes.keys()];
  for (let next = 0; next < ids.length; next += 1) {
    const id = ids[next] ?? 0;
    const node = nodes.get(id);
    const problem = node && findChainProblem(nodes, id, node);
    if (node === undefined || problem === undefined) continue;
    nodes.delete(id);
    faults.leave(node.line, problem);
    for (const other of [node.supersedes, node.supersededBy]) if (other !== null) ids.push(other);
  }
}

/** Both facts say so, they are about the same entity, and versions rise: then no chain is a circle. */
function findChainProblem(
  nodes: ReadonlyMap<number, PlannedNode>,
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

/** A file that was cut between two lines is found out by what its header promised. */
function checkCounts(header: ArchiveHeader | undefined, counts: ArchiveCounts): void {
  for (const name of COUNTED) {
    const promised = header?.counts[name];
    if (promised !== undefined && promised !== counts[name]) {
      throw new RecordFault(
        `the header promises ${promised} ${name}, and there are ${counts[name]}: the file is cut off or was edited. Leave counts out of the header of an edited file`,
      );
    }
  }
}

/**
 * Goes through the history as it was made. Each change must begin where the one before it ended, and
 * the last must end at what the file holds: else undoing it would make what never was.
 */
function openHistoryCheck() {
  const expected = new Map<string, Stand>();
  const states = new Map<string, Stand & { readonly isThere: boolean }>();
  const begun = new Set<string>();
  let broken: number | undefined;

  return {
    expect(table: ArchiveTable, row: ArchiveRow, line: number): void {
      expected.set(`${table} ${keyOf(table, row)}`, { digest: digestOf(table, row), line });
    },

    add({ of, before, after }: ArchivedChange, line: number): void {
      const row = after ?? before;
      if (row === null) return;
      const key = `${of} ${keyOf(of, row)}`;
      if (before && after && keyOf(of, before) !== keyOf(of, after)) broken ??= line;
      const state = states.get(key);
      const isThere = before !== null;
      if (state === undefined) {
        if (!isThere) begun.add(key);
      } else if (state.isThere !== isThere || (before && state.digest !== digestOf(of, before))) {
        broken ??= line;
      }
      states.set(key, { isThere: after !== null, digest: after ? digestOf(of, after) : 0, line });
    },

    finish(isCut: boolean): void {
      if (broken !== undefined)
        throw new RecordFault('the change before it ends differently', broken);
      for (const [key, { isThere, digest, line }] of states) {
        const stand = expected.get(key);
        if (isThere !== (stand !== undefined) || (stand && stand.digest !== digest)) {
          throw new RecordFault(
            `the history ends differently from what the file holds of ${key}`,
            line,
          );
        }
        if (!isCut && !begun.has(key))
          throw new RecordFault(`the history of ${key} has no beginning`, line);
      }
      if (isCut) return;
      for (const [key, { line }] of expected) {
        if (!states.has(key))
          throw new RecordFault('the history does not tell where it came from', line);
      }
    },
  };
}

/** Two hashes in the 53 bits of a number. The history keeps 15 digits of a number. */
function digestOf(table: ArchiveTable, row: ArchiveRow): number {
  const cells = historyOf(table).map(({ name, derive }) => {
    const cell = derive === undefined ? row[name] : undefined;
    return typeof cell === 'number' ? Number(cell.toPrecision(15)) : cell;
  });
  const text = JSON.stringify(cells);
  return hashText(text) * 0x20_0000 + (hashText(`~${text}`) & 0x1f_ffff);
}
