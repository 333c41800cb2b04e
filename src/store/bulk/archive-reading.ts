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
import type { ChangeRow } from '#store/history/changes.ts';
import { readNodes } from '#store/derived/growth.ts';
import type { Sql, SqlValue } from '#store/sql.ts';

/** Rows that are read by one statement. */
const PAGE = 500;

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
  /** Asks for a page after the last row of the one before, until there is none. */
  function* paged<Found>(next: (last: Found | undefined) => Found[]): Generator<Found> {
    for (let last: Found | undefined; ;) {
      const page = next(last);
      yield* page;
      last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
    }
  }

  function count(query: string, ...values: SqlValue[]): number {
    return sql.first<{ n: number }>(`SELECT count(*) AS n FROM ${query}`, ...values)?.n ?? 0;
  }

  return {
    /** Nodes of a kind, each with its row of both tables, whatever its status. */
    *nodes(kind: NodeKind): Generator<ArchiveRow> {
      const fields = [...fieldsOf(kind), ...NODE_FIELDS];
      const query = /* sql */ `
        SELECT ${select(kind, fieldsOf(kind))}, ${select('node', NODE_FIELDS)}
        FROM ${tableName(kind)} JOIN node ON node.id = ${tableName(kind)}.node_id
        WHERE ${tableName(kind)}.node_id > ? ORDER BY ${tableName(kind)}.node_id LIMIT ${PAGE}`;
      const rows = paged<Row>((last) => sql.all(query, last?.['id'] ?? 0));
      for (const row of rows) yield toRow(fields, row);
    },

    /** Edges both of whose ends are of some kinds. */
    *edges(kinds: readonly NodeKind[]): Generator<ArchiveRow> {
      const fields = fieldsOf('edge');
      const query = /* sql */ `
        SELECT ${select('edge', fields)} FROM edge
        WHERE (from_id, to_id, type) > (?1, ?2, ?3) AND ${endsAre('?4')}
        ORDER BY from_id, to_id, type LIMIT ${PAGE}`;
      const wanted = JSON.stringify(kinds);
      const rows = paged<Row>((last) =>
        sql.all(
          query,
          last?.['from'] ?? 0,
          last?.['to'] ?? 0,
          last?.['relationType'] ?? '',
          wanted,
        ),
      );
      for (const row of rows) yield toRow(fields, row);
    },

    /** Kept states of nodes of some kinds. */
    *versions(kinds: readonly NodeKind[]): Generator<ArchiveRow> {
      const fields = fieldsOf('version');
      const query = /* sql */ `
        SELECT ${select('version', fields)} FROM node_version
        WHERE (node_id, version) > (?1, ?2) AND ${isOf('node_id', '?3')}
        ORDER BY node_id, version LIMIT ${PAGE}`;
      const wanted = JSON.stringify(kinds);
      const rows = paged<Row>((last) =>
        sql.all(query, last?.['node'] ?? 0, last?.['version'] ?? 0, wanted),
      );
      for (const row of rows) yield toRow(fields, row);
    },

    revisions(): Generator<ArchivedRevision> {
      return paged<ArchivedRevision>((last) =>
        sql.all(
          `SELECT id, at, actor, tool FROM revision WHERE id > ? AND ${HAS_CHANGES} ORDER BY id LIMIT ${PAGE}`,
          last?.id ?? 0,
        ),
      );
    },

    *changes(): Generator<ArchivedChange> {
      const query = /* sql */ `
        SELECT revision_id, seq, table_name, before, after FROM change
        WHERE (revision_id, seq) > (?, ?) ORDER BY revision_id, seq LIMIT ${PAGE}`;
      const rows = paged<ChangeRow>((last) =>
        sql.all(query, last?.revision_id ?? 0, last?.seq ?? 0),
      );
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
