/** The tables of an object that a test fills past its tools: they are made where there are none yet. */
import { hasTables, migrate } from '#store/schema/migrate.ts';
import { openSql, type Sql } from '#store/sql.ts';

export function openTables(storage: DurableObjectStorage): Sql {
  const sql = openSql(storage);
  if (!hasTables(sql)) migrate(sql);
  return sql;
}
