/**
 * `node scripts/dump-state.ts <thread.sqlite>` prints the database of a thread as SQL, for a fixture
 * among the tests: tables and rows first, then the triggers, which would repeat what the rows say. Text
 * indexes come out empty.
 * Wrangler keeps the databases below `.wrangler/state/v3/do/`.
 */
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { CommandError } from './support/command-error.ts';
import { orExit, readCommandLine } from './support/command-line.ts';

/** What belongs to SQLite, to Durable Objects or to their emulation, and is there anyway. */
const FOREIGN = /^(sqlite_|_cf_|__miniflare)/;

const NAME = 'node scripts/dump-state.ts';
const { positionals } = readCommandLine(
  {
    name: NAME,
    usage: `${NAME} <thread.sqlite>\n\nPrints the database of a thread as SQL. Databases are below .wrangler/state/v3/do/.`,
  },
  { allowPositionals: true },
);
const file = orExit(() => {
  if (positionals.length === 1 && positionals[0] !== undefined) return positionals[0];
  throw new CommandError(`Name one database: ${NAME} <thread.sqlite>`);
});
const database = new DatabaseSync(file, { readOnly: true });
for (const line of dump()) console.log(line);

function* dump(): Generator<string> {
  const all = database
    .prepare('SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid')
    .all() as unknown as { type: string; name: string; sql: string }[];
  const schema = all.filter(({ name }) => !FOREIGN.test(name));
  const virtual = schema.filter(({ sql }) => sql.startsWith('CREATE VIRTUAL'));
  // Only SQLite itself may write the tables that hold the rows of a virtual one.
  const isShadow = (name: string) =>
    virtual.some((one) => name.startsWith(`${one.name}_`)) &&
    !virtual.some((one) => one.name === name);
  for (const { type, name, sql } of schema) {
    if (type !== 'trigger' && !isShadow(name)) yield `${sql};`;
  }
  for (const { type, name } of schema) {
    const isVirtual = virtual.some((one) => one.name === name);
    if (type === 'table' && !isVirtual && !isShadow(name)) yield* rowsOf(name);
  }
  yield 'DELETE FROM sqlite_sequence;';
  yield* rowsOf('sqlite_sequence');
  for (const { type, sql } of schema) if (type === 'trigger') yield `${sql};`;
}

function* rowsOf(table: string): Generator<string> {
  for (const row of database.prepare(`SELECT * FROM "${table}"`).all()) {
    const values = Object.values(row as Record<string, SQLOutputValue>).map(toLiteral);
    yield `INSERT INTO "${table}" VALUES (${values.join(', ')});`;
  }
}

function toLiteral(value: SQLOutputValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  return `x'${Buffer.from(value).toString('hex')}'`;
}
