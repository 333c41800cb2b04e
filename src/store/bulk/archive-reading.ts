/** Reads a whole thread, table by table in the order of its keys, for an archive. Nothing is left out. */
import type { NodeKind } from '#graph/ids.ts';
import {
  ARCHIVE_TABLES,
  fieldsOf,
  fromSqlCell,
  historyOf,
  tableName,
  type ArchiveField,
  type ArchiveRow,
  type ArchiveTable,
} from './archive-tables.ts';
import { LIST_BYTES } from '#limits.ts';
import type { ChangeRow } from '#store/history/changes.ts';
import { readNodes } from '#store/derived/growth.ts';
import type { Sql, SqlValue } from '#store/sql.ts';

/** Rows that are read by one statement: fewer where they are long, so that a page has `LIST_BYTES` at most. */
const PAGE = 500;

/** One part of an archive, in the order of its keys. */
interface Paging<Found> {
  readonly columns: string;
  /** Tables and condition: what comes after the `values` of a row. */
  readonly from: string;
  readonly order: string;
  /** Columns that may be long. */
  readonly texts: readonly string[];
  /** Parameters of `from`; the first page comes after no row. */
  values(last: Found | undefined): SqlValue[];
}

export interface ArchivedRevision {
  readonly id: number;
  readonly at: number;
  readonly actor: string;
  readonly tool: string;
}

/** A row before and after: null for one that was not there. */
export interface ArchivedChange {
  readonly revision: number;
  /** Order within the revision, from 1. */
  readonly number: number;
  readonly of: ArchiveTable;
  readonly before: ArchiveRow | null;
  readonly after: ArchiveRow | null;
}

type Row = Record<string, SqlValue>;

function select(table: ArchiveTable, fields: readonly ArchiveField[]): string {
  return fields.map(({ name, column }) => `${tableName(table)}.${column} AS "${name}"`).join(', ');
}

/** Names of the archive's own choosing, since `type` says what a line is. */
const NODE_FIELDS = fieldsOf('node').filter(({ name }) => name !== 'id' && name !== 'kind');

function toRow(fields: readonly ArchiveField[], row: Row): ArchiveRow {
  return Object.fromEntries(fields.map((one) => [one.name, fromSqlCell(one, row[one.name])]));
}

export function archiveReadingStore(sql: Sql) {
  /** A page after the last row of the one before, until there is none. */
  function* paged<Found>({ columns, from, order, texts, values }: Paging<Found>): Generator<Found> {
    const rest = `FROM ${from} ORDER BY ${order} LIMIT ?`;
    // SQLite knows the length of a text without reading it.
    const bytes = texts.map((text) => `coalesce(octet_length(${text}), 0)`).join(' + ');
    for (let last: Found | undefined; ;) {
      const after = values(last);
      const sizes = sql.all<{ bytes: number }>(`SELECT ${bytes} AS bytes ${rest}`, ...after, PAGE);
      if (sizes.length === 0) return;
      const fitting = countFitting(sizes);
      const page = sql.all<Found>(`SELECT ${columns} ${rest}`, ...after, fitting);
      yield* page;
      last = page.at(-1);
      if (fitting === sizes.length && sizes.length < PAGE) return;
    }
  }

  function count(query: string, ...values: SqlValue[]): number {
    return sql.first<{ n: number }>(`SELECT count(*) AS n FROM ${query}`, ...values)?.n ?? 0;
  }

  return {
    /** Nodes of a kind, each with its row of both tables, whatever its status. */
    *nodes(kind: NodeKind): Generator<ArchiveRow> {
      const fields = [...fieldsOf(kind), ...NODE_FIELDS];
      const table = tableName(kind);
      const rows = paged<Row>({
        columns: `${select(kind, fieldsOf(kind))}, ${select('node', NODE_FIELDS)}`,
        from: `${table} JOIN node ON node.id = ${table}.node_id WHERE ${table}.node_id > ?`,
        order: `${table}.node_id`,
        texts: [...textsOf(kind, fieldsOf(kind)), ...textsOf('node', NODE_FIELDS)],
        values: (last) => [last?.['id'] ?? 0],
      });
      for (const row of rows) yield toRow(fields, row);
    },

    /** Edges both of whose ends are of some kinds. */
    *edges(kinds: readonly NodeKind[]): Generator<ArchiveRow> {
      const fields = fieldsOf('edge');
      const wanted = JSON.stringify(kinds);
      const rows = paged<Row>({
        columns: select('edge', fields),
        from: `edge WHERE (from_id, to_id, type) > (?1, ?2, ?3) AND ${endsAre('?4')}`,
        order: 'from_id, to_id, type',
        texts: textsOf('edge', fields),
        values: (last) => [
          last?.['from'] ?? 0,
          last?.['to'] ?? 0,
          last?.['relationType'] ?? '',
          wanted,
        ],
      });
      for (const row of rows) yield toRow(fields, row);
    },

    /** Kept states of nodes of some kinds. */
    *versions(kinds: readonly NodeKind[]): Generator<ArchiveRow> {
      const fields = fieldsOf('version');
      const wanted = JSON.stringify(kinds);
      const rows = paged<Row>({
        columns: select('version', fields),
        from: `node_version WHERE (node_id, version) > (?1, ?2) AND ${isOf('node_id', '?3')}`,
        order: 'node_id, version',
        texts: textsOf('version', fields),
        values: (last) => [last?.['node'] ?? 0, last?.['version'] ?? 0, wanted],
      });
      for (const row of rows) yield toRow(fields, row);
    },

    revisions(): Generator<ArchivedRevision> {
      return paged<ArchivedRevision>({
        columns: 'id, at, actor, tool',
        from: `revision WHERE id > ? AND ${HAS_CHANGES}`,
        order: 'id',
        texts: ['actor', 'tool'],
        values: (last) => [last?.id ?? 0],
      });
    },

    *changes(): Generator<ArchivedChange> {
      const rows = paged<ChangeRow>({
        columns: 'revision_id, seq, table_name, before, after',
        from: 'change WHERE (revision_id, seq) > (?, ?)',
        order: 'revision_id, seq',
        texts: ['before', 'after'],
        values: (last) => [last?.revision_id ?? 0, last?.seq ?? 0],
      });
      let revision = 0;
      let number = 0;
      for (const { revision_id, table_name, before, after } of rows) {
        number = revision_id === revision ? number + 1 : 1;
        revision = revision_id;
        const of = TABLES.get(table_name);
        if (of === undefined) throw new Error(`The table ${table_name} is in no archive.`);
        yield {
          revision,
          number,
          of,
          before: readState(of, before),
          after: readState(of, after),
        };
      }
    },

    /** How many rows each part has. */
    counts(kinds: readonly NodeKind[]) {
      const wanted = JSON.stringify(kinds);
      const nodes = (kind: NodeKind) => (kinds.includes(kind) ? count(tableName(kind)) : 0);
      return {
        entities: nodes('entity'),
        facts: nodes('fact'),
        turns: nodes('turn'),
        summaries: nodes('summary'),
        edges: count(`edge WHERE ${endsAre('?1')}`, wanted),
        versions: count(`node_version WHERE ${isOf('node_id', '?1')}`, wanted),
        revisions: count(`revision WHERE ${HAS_CHANGES}`),
        changes: count('change'),
      };
    },

    /** The greatest id that a node has ever had; 0 for none. */
    lastNodeId(): number {
      return readNodes(sql).lastId;
    },

    /** Whether nothing was ever remembered here, so that ids and history may be another's. */
    isUntouched(): boolean {
      const row = sql.first<{ n: number }>(/* sql */ `
        SELECT EXISTS (SELECT 1 FROM node) + EXISTS (SELECT 1 FROM revision)
          + EXISTS (SELECT 1 FROM compaction WHERE horizon > 0 OR last_node_id > 0) AS n`);
      return row?.n === 0;
    },

    /** Nodes that were there before the latest revision, are there after it, and differ. */
    countUpdated(): number {
      return count(
        `(SELECT CAST(row_key AS INTEGER) AS id FROM change
          WHERE revision_id = (SELECT max(id) FROM revision)
            AND table_name NOT IN ('edge', 'node_version')
          GROUP BY id HAVING min(before IS NOT NULL) AND min(after IS NOT NULL))`,
      );
    },
  };
}

/** What `forget` has emptied, and its own revision, are left out: no change of theirs is left. */
const HAS_CHANGES = 'EXISTS (SELECT 1 FROM change WHERE revision_id = revision.id)';

const TABLES = new Map(ARCHIVE_TABLES.map((table) => [tableName(table), table]));

/** Columns of a list whose values may be long. */
function textsOf(table: ArchiveTable, fields: readonly ArchiveField[]): string[] {
  return fields
    .filter(({ rule }) => ['text', 'texts', 'object'].includes(rule.kind))
    .map(({ column }) => `${tableName(table)}.${column}`);
}

/** At least one: a row that is longer than a page comes alone. */
function countFitting(sizes: readonly { readonly bytes: number }[]): number {
  let bytes = 0;
  const first = sizes.findIndex((one) => (bytes += one.bytes) > LIST_BYTES);
  return first === -1 ? sizes.length : Math.max(first, 1);
}

function isOf(column: string, kinds: string): string {
  return `EXISTS (SELECT 1 FROM node WHERE node.id = ${column}
    AND node.kind IN (SELECT value FROM json_each(${kinds})))`;
}

function endsAre(kinds: string): string {
  return `${isOf('edge.from_id', kinds)} AND ${isOf('edge.to_id', kinds)}`;
}

function readState(table: ArchiveTable, json: string | null): ArchiveRow | null {
  if (json === null) return null;
  const state = JSON.parse(json) as Record<string, unknown>;
  const fields = historyOf(table).filter(({ derive }) => derive === undefined);
  return Object.fromEntries(fields.map((one) => [one.name, fromSqlCell(one, state[one.column])]));
}
