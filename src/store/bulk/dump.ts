/** The tables as they are, whatever schema they have: for a thread that this version cannot open. */
import type { Sql, SqlValue } from '#store/sql.ts';

/** Where a dump goes on: after a row of a table, or at its beginning. */
export interface DumpCursor {
  readonly table: string;
  /** Values of the key columns; null before the first row. */
  readonly after: readonly SqlValue[] | null;
}

export interface DumpPage {
  /** Whole lines of JSON, each with its end. */
  readonly lines: string;
  /** Null for the last page. */
  readonly next: DumpCursor | null;
}

/** Characters of a page, but for its last row. */
const PAGE_CHARS = 1_000_000;

/**
 * Each table begins with `{"table", "create"}`, and each of its rows is `{"table", "row"}` with bytes as
 * base64. What full text search derives is left out.
 */
export function readDump(sql: Sql, cursor: DumpCursor | null): DumpPage {
  const tables = listTables(sql);
  const at = cursor ?? { table: tables[0]?.name ?? '', after: null };
  const index = tables.findIndex(({ name }) => name === at.table);
  const table = tables[index];
  if (table === undefined) return { lines: '', next: null };
  const { name, create } = table;
  const keys = readKeys(sql, name);
  const lines = at.after === null ? [toLine({ table: name, create })] : [];
  const order = keys.map(quoteName).join(', ');
  const isAfter = at.after === null ? '' : `WHERE (${order}) > (${keys.map(() => '?').join(', ')})`;
  const rows = sql.each<Record<string, SqlValue>>(
    `SELECT *${keys[0] === 'rowid' ? ', rowid' : ''} FROM ${quoteName(name)} ${isAfter} ORDER BY ${order}`,
    ...(at.after ?? []),
  );
  let chars = 0;
  for (const row of rows) {
    const line = toLine({ table: name, row });
    lines.push(line);
    chars += line.length;
    if (chars < PAGE_CHARS) continue;
    const after = keys.map((key) => row[key] ?? null);
    return { lines: lines.join(''), next: { table: name, after } };
  }
  const following = tables[index + 1];
  return { lines: lines.join(''), next: following ? { table: following.name, after: null } : null };
}

/** Without those of the platform, of SQLite and of full text search. */
function listTables(sql: Sql): { name: string; create: string }[] {
  return sql.all(/* sql */ `
    SELECT name, sql AS "create" FROM sqlite_master AS one
    WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
      AND substr(name, 1, 7) <> 'sqlite_' AND substr(name, 1, 4) <> '_cf_'
      AND NOT EXISTS (SELECT 1 FROM sqlite_master AS virtual WHERE virtual.sql LIKE 'CREATE VIRTUAL%'
        AND substr(one.name, 1, length(virtual.name) + 1) = virtual.name || '_')
    ORDER BY name`);
}

/** The columns that tell its rows apart, in order. */
function readKeys(sql: Sql, table: string): string[] {
  const columns = sql.all<{ name: string; pk: number }>(`PRAGMA table_info(${quoteName(table)})`);
  const keys = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
  return keys.length === 0 ? ['rowid'] : keys.map(({ name }) => name);
}

function quoteName(name: string): string {
  return name === 'rowid' ? name : `"${name.replaceAll('"', '""')}"`;
}

function toBase64(bytes: ArrayBuffer): string {
  // One call takes no more arguments than fit on the stack.
  let text = '';
  for (const byte of new Uint8Array(bytes)) text += String.fromCodePoint(byte);
  return btoa(text);
}

function toLine(value: object): string {
  const json = JSON.stringify(value, (_, cell: unknown) =>
    cell instanceof ArrayBuffer ? toBase64(cell) : cell,
  );
  return `${json}\n`;
}
