/**
 * Names that rows wait for while changes are taken back. Revisions that stay lie between those that
 * are undone, so that a row may go back past a name which another has by now, and which it will not
 * have in the end: meanwhile it gets one that nobody has.
 */
import { foldName } from '#graph/names.ts';
import type { Sql } from '#store/sql.ts';

/** Columns beside the keys in which no two rows of a table are the same. */
export const UNIQUE_NAMES: Readonly<Record<string, string>> = {
  entity: 'name',
  summary: 'session_id',
};

interface Change {
  readonly table_name: string;
  readonly before: string | null;
  readonly after: string | null;
}

type Image = Readonly<Record<string, unknown>>;

/** No name that a caller gives may begin with a control character. */
const PARKED = '\u0001';

/** Whether it is a name that some row waited with: the history keeps it, and no row that is there has it. */
export function isParkedName(name: string): boolean {
  return name.startsWith(PARKED) && /^\d+$/.test(name.slice(PARKED.length));
}

export function openParkedNames(sql: Sql) {
  const parked = new Map<string, { table: string; nodeId: number; name: string }>();

  function isTaken(table: string, column: string, name: string, nodeId: number): boolean {
    const query = `SELECT 1 FROM ${table} WHERE ${column} = ? AND node_id <> ?`;
    return sql.first(query, name, nodeId) !== undefined;
  }

  return {
    /** The change with another name in its row before, where that name is another row's just now. */
    park<Given extends Change>(change: Given): Given {
      const { table_name: table, before, after } = change;
      const column = UNIQUE_NAMES[table];
      if (column === undefined) return change;
      const image = JSON.parse(before ?? after ?? '{}') as Image;
      const isNamed = after === null || (JSON.parse(after) as Image)[column] !== image[column];
      if (before !== null && !isNamed) return change;
      const nodeId = Number(image['node_id']);
      const name = String(image[column]);
      parked.delete(`${table} ${nodeId}`);
      if (before === null || !isTaken(table, column, name, nodeId)) return change;
      parked.set(`${table} ${nodeId}`, { table, nodeId, name });
      const waiting = namedRow(table, column, `${PARKED}${nodeId}`);
      return { ...change, before: JSON.stringify({ ...image, ...waiting }) };
    },

    /** Gives each row that still waits its name, which must be free by now. */
    settle(): void {
      for (const { table, nodeId, name } of parked.values()) {
        const row = Object.entries(namedRow(table, UNIQUE_NAMES[table] ?? '', name));
        const columns = row.map(([column]) => `${column} = ?`).join(', ');
        const values = row.map(([, value]) => value);
        sql.run(`UPDATE ${table} SET ${columns} WHERE node_id = ?`, ...values, nodeId);
      }
    },
  };
}

/** The columns of a row that has that name: what follows from a name goes with it. */
function namedRow(table: string, column: string, name: string): Record<string, string> {
  return { [column]: name, ...(table === 'entity' && { folded_name: foldName(name) }) };
}
