/**
 * The port to SQLite, and the only place that touches `storage.sql` or casts a row. Rows need no
 * schema: tables are `STRICT`. Lists travel as one JSON parameter, since SQLite binds 100 at most,
 * in parts where it is long (`json-lists.ts`).
 */
import { BOUND_BYTES_MAX } from '#limits.ts';
import { byteLength } from './json-lists.ts';

export type SqlValue = string | number | null | ArrayBuffer;

/** Rows that SQLite counted, index rows included: what a call costs. */
export interface Meter {
  rowsRead: number;
  rowsWritten: number;
}

export interface Sql {
  all<Row>(query: string, ...values: SqlValue[]): Row[];
  /** Rows one by one, for more than memory should hold. Nothing may be written until all are read. */
  each<Row>(query: string, ...values: SqlValue[]): Iterable<Row>;
  first<Row>(query: string, ...values: SqlValue[]): Row | undefined;
  /** Returns the rows changed by the statement itself, not by its triggers. */
  run(query: string, ...values: SqlValue[]): number;
  /** Runs statements that take no parameters and give no rows, such as a migration. */
  script(statements: string): void;
  /** Undoes everything on a throw. `work` must not return a promise: others could come between. */
  transaction<Result>(work: () => Result): Result;
  readonly meter: Meter;
  /** Bytes of the database, without pages that are free. */
  sizeBytes(): number;
}

export function openSql(storage: DurableObjectStorage): Sql {
  const meter: Meter = { rowsRead: 0, rowsWritten: 0 };

  function execute<Row>(query: string, values: SqlValue[]): Row[] {
    refuseLong(values);
    const cursor = storage.sql.exec(query, ...values);
    // The platform makes lists of values several times as fast as it makes objects.
    let columns: readonly string[] | undefined;
    const rows = Array.from(cursor.raw(), (values) =>
      toRow<Row>((columns ??= cursor.columnNames), values),
    );
    meter.rowsRead += cursor.rowsRead;
    meter.rowsWritten += cursor.rowsWritten;
    return rows;
  }

  return {
    meter,
    sizeBytes: () => storage.sql.databaseSize,
    all: <Row>(query: string, ...values: SqlValue[]) => execute<Row>(query, values),
    *each<Row>(query: string, ...values: SqlValue[]) {
      refuseLong(values);
      const cursor = storage.sql.exec(query, ...values);
      for (const row of cursor) yield row as Row;
      meter.rowsRead += cursor.rowsRead;
    },
    first: <Row>(query: string, ...values: SqlValue[]) => execute<Row>(query, values)[0],
    run(query, ...values) {
      execute(query, values);
      // `rowsWritten` also counts index rows, and `changes()` what the statement changed.
      return execute<{ changed: number }>('SELECT changes() AS changed', [])[0]?.changed ?? 0;
    },
    script: (statements) => void execute(statements, []),
    transaction(work) {
      return storage.transactionSync(() => {
        const result = work();
        if (result instanceof Promise) throw new Error('A transaction must not return a promise.');
        return result;
      });
    },
  };
}

/** Throws for a value that production would refuse: a list that should have gone by several statements. */
function refuseLong(values: readonly SqlValue[]): void {
  for (const value of values) {
    if (typeof value === 'string') {
      // A UTF-16 unit is three bytes at most.
      if (value.length * 3 <= BOUND_BYTES_MAX || byteLength(value) <= BOUND_BYTES_MAX) continue;
    } else if (!(value instanceof ArrayBuffer) || value.byteLength <= BOUND_BYTES_MAX) continue;
    throw new Error(`A bound value has more than ${BOUND_BYTES_MAX} bytes.`);
  }
}

function toRow<Row>(columns: readonly string[], values: readonly SqlStorageValue[]): Row {
  const row: Record<string, SqlStorageValue> = {};
  for (let place = 0; place < columns.length; place += 1) {
    row[columns[place] ?? ''] = values[place] ?? null;
  }
  return row as Row;
}
