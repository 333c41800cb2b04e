/**
 * Names that rows wait under while others take their names: a row may get a name back that another has
 * by now, and which that one will not have in the end. SQLite asks for unique names after each row.
 */
import { assert } from '#errors.ts';
import { foldName } from '#graph/names.ts';
import { UNIQUE_NAMES } from './history-tables.ts';
import { jsonLists } from '#store/json-lists.ts';
import type { Sql } from '#store/sql.ts';

/** No name that a caller gives may begin with a control character. */
const PARKED = '\u0001';

/** Whether it is a name that some row waited with: the history keeps it, and no row that is there has it. */
export function isParkedName(name: string): boolean {
  return name.startsWith(PARKED) && /^\d+$/.test(name.slice(PARKED.length));
}

/** Gives other names to rows whose names are about to go to the rows with these keys. */
export function parkNames(
  sql: Sql,
  table: string,
  wanted: ReadonlyMap<string, string>,
  mayPark: (key: string) => boolean,
): void {
  const column = UNIQUE_NAMES[table] ?? '';
  for (const list of jsonLists([...wanted])) {
    const holders = sql.all<{ id: number }>(
      /* sql */ `
      SELECT node_id AS id FROM json_each(?) AS wanted CROSS JOIN ${table} ON ${column} = wanted.value ->> 0
      WHERE node_id <> CAST(wanted.value ->> 1 AS INTEGER)`,
      list,
    );
    for (const { id } of holders) {
      assert(mayPark(String(id)), 'a name that comes back is free in the end');
      const row = Object.entries(namedRow(table, column, `${PARKED}${id}`));
      const columns = row.map(([name]) => `${name} = ?`).join(', ');
      sql.all(
        `UPDATE ${table} SET ${columns} WHERE node_id = ?`,
        ...row.map(([, value]) => value),
        id,
      );
    }
  }
}

/** The columns of a row that has that name: what follows from a name goes with it. */
function namedRow(table: string, column: string, name: string): Record<string, string> {
  return { [column]: name, ...(table === 'entity' && { folded_name: foldName(name) }) };
}
