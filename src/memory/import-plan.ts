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
import {
  COUNTED,
  faultyFile,
  faultyLine,
  type ArchiveHeader,
  type ArchiveRecord,
  type Line,
} from './archive-lines.ts';
import type { ArchiveCounts } from './archiving.ts';

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
  readonly counts: ArchiveCounts;
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

/** Throws the error of the first line that does not fit. */
export function planImport(records: Iterable<Line<ArchiveRecord>>): ImportPlan {
  const planner = openPlanner();
  for (const { line, record } of records) planner.add(line, record);
  return planner.finish();
}

function openPlanner() {
  const nodes = new Map<number, PlannedNode>();
  const names = new Map<string, number>();
  const sessions = new Map<string, number>();
  const pairs = new Map<string, { line: number; ends: readonly number[] }>();
  const history = openHistoryCheck();
  const counts: { -readonly [Name in keyof ArchiveCounts]: number } = {
    entities: 0,
    facts: 0,
    turns: 0,
    summaries: 0,
    edges: 0,
    versions: 0,
    revisions: 0,
    changes: 0,
  };
  let header: ArchiveHeader | undefined;
  let lastRevision = 0;
  let lastNumber = 0;

  function addNode(line: number, kind: NodeKind, node: ArchiveRow, own: ArchiveRow): void {
    const id = numberOf(node, 'id');
    const twin = nodes.get(id);
    if (twin) throw faultyLine(line, `the id ${id} is that of line ${twin.line} too`);
    if (kind === 'entity') claim(names, textOf(own, 'name'), line, 'an entity of that name');
    if (kind === 'summary')
      claim(sessions, textOf(own, 'sessionId'), line, 'a summary of that session');
    const entity = toId(own['entity']);
    if (kind === 'fact' && entity !== null && nodes.get(entity)?.kind !== 'entity') {
      throw faultyLine(line, `no line before it has the entity ${entity} that it is about`);
    }
    nodes.set(id, {
      line,
      kind,
      entity,
      version: kind === 'fact' ? numberOf(own, 'version') : 0,
      supersedes: toId(own['supersedes']),
      supersededBy: toId(own['supersededBy']),
    });
    counts[KIND_COUNTS[kind]] += 1;
    history.expect('node', node, line);
    history.expect(kind, own, line);
  }

  function addPair(line: number, table: 'edge' | 'version', row: ArchiveRow): void {
    const key = `${table} ${keyOf(table, row)}`;
    const twin = pairs.get(key);
    if (twin) throw faultyLine(line, `line ${twin.line} has the same ${table}`);
    const ends = table === 'edge' ? [row['from'], row['to']] : [row['node']];
    pairs.set(key, { line, ends: ends.map(Number) });
    counts[table === 'edge' ? 'edges' : 'versions'] += 1;
    history.expect(table, row, line);
  }

  function addChange(line: number, change: ArchivedChange): void {
    const { revision, number } = change;
    if (revision !== lastRevision) {
      throw faultyLine(line, `it is of the revision ${revision}, but follows ${lastRevision}`);
    }
    if (number <= lastNumber)
      throw faultyLine(line, `number ${number} does not follow ${lastNumber}`);
    lastNumber = number;
    counts.changes += 1;
    history.add(change, line);
  }

  return {
    add(line: number, record: ArchiveRecord): void {
      switch (record.type) {
        case 'header':
          if (line !== 1 && (header !== undefined || nodes.size > 0)) {
            throw faultyLine(line, 'a header stands at the beginning alone');
          }
          header = record;
          return;
        case 'node':
          return addNode(line, record.kind, record.node, record.own);
        case 'edge':
        case 'version':
          return addPair(line, record.type, record.row);
        case 'revision': {
          const { id } = record.revision;
          if (id <= lastRevision)
            throw faultyLine(line, `revision ${id} does not follow ${lastRevision}`);
          if (id <= (header?.forgottenTo ?? 0)) {
            throw faultyLine(line, `revision ${id} is forgotten, as the header says`);
          }
          if (lastRevision > 0 && lastNumber === 0) {
            throw faultyLine(line, `revision ${lastRevision} before it has no changes`);
          }
          lastRevision = id;
          lastNumber = 0;
          counts.revisions += 1;
          return;
        }
        case 'change':
          return addChange(line, record.change);
      }
    },

    finish(): ImportPlan {
      for (const { line, ends } of pairs.values()) {
        const missing = ends.find((end) => !nodes.has(end));
        if (missing !== undefined) throw faultyLine(line, `there is no node ${missing}`);
      }
      checkChains(nodes);
      checkCounts(header, counts);
      if (lastRevision > 0 && lastNumber === 0) {
        throw faultyFile(`Revision ${lastRevision} has no changes: the file is cut off.`);
      }
      if (counts.revisions > 0) history.finish((header?.forgottenTo ?? 0) > 0);
      return { header, nodes, counts };
    },
  };
}

function toId(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function claim(taken: Map<string, number>, name: string, line: number, what: string): void {
  const twin = taken.get(name);
  if (twin !== undefined) throw faultyLine(line, `line ${twin} has ${what} already`);
  taken.set(name, line);
}

/** Both facts say so, they are about the same entity, and versions rise: then no chain is a circle. */
function checkChains(nodes: ReadonlyMap<number, PlannedNode>): void {
  for (const [id, { line, supersedes, supersededBy, version, entity }] of nodes) {
    const older = supersedes === null ? undefined : nodes.get(supersedes);
    if (supersedes !== null && older?.kind !== 'fact') {
      throw faultyLine(line, `there is no fact ${supersedes} that it could supersede`);
    }
    if (older && older.supersededBy !== id) {
      throw faultyLine(
        line,
        `it supersedes ${supersedes}, which does not say that it is superseded by it`,
      );
    }
    if (older && older.version >= version) {
      throw faultyLine(
        line,
        `version ${version} supersedes version ${older.version}: versions rise and go in no circle`,
      );
    }
    if (older && older.entity !== entity) {
      throw faultyLine(line, 'it is about another entity than the version before');
    }
    const newer = supersededBy === null ? undefined : nodes.get(supersededBy);
    if (supersededBy !== null && newer?.kind !== 'fact') {
      throw faultyLine(line, `there is no fact ${supersededBy} that it could be superseded by`);
    }
    if (newer && newer.supersedes !== id) {
      throw faultyLine(
        line,
        `it is superseded by ${supersededBy}, which does not say that it supersedes it`,
      );
    }
  }
}

/** A file that was cut between two lines is found out by what its header promised. */
function checkCounts(header: ArchiveHeader | undefined, counts: ArchiveCounts): void {
  for (const name of COUNTED) {
    const promised = header?.counts[name];
    if (promised !== undefined && promised !== counts[name]) {
      throw faultyFile(
        `The header promises ${promised} ${name}, and there are ${counts[name]}: the file is cut off or was edited. Leave counts out of the header of an edited file.`,
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
      if (broken !== undefined) throw faultyLine(broken, 'the change before it ends differently');
      for (const [key, { isThere, digest, line }] of states) {
        const stand = expected.get(key);
        if (isThere !== (stand !== undefined) || (stand && stand.digest !== digest)) {
          throw faultyLine(line, `the history ends differently from what the file holds of ${key}`);
        }
        if (!isCut && !begun.has(key))
          throw faultyLine(line, `the history of ${key} has no beginning`);
      }
      if (isCut) return;
      for (const [key, { line }] of expected) {
        if (!states.has(key))
          throw faultyLine(line, 'the history does not tell where it came from');
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
