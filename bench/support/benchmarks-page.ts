/** Puts the tables of a run into `docs/contributing/benchmarks.md`, each between the two marks of its name. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { page, table } from '../../scripts/support/markdown.ts';
import type { BenchTable } from './bench-table.ts';

const PAGE = resolve(import.meta.dirname, '../../docs/contributing/benchmarks.md');

/** The flag of every benchmark that has tables in the page. */
export const WRITES = { options: { write: { type: 'boolean' } } } as const;

/** `name` is as in `npm run bench:<name>`. */
export function benchUsage(name: string): string {
  const only =
    name === 'worst'
      ? '\n  --only   measures the tools of that list alone, such as recall,compact'
      : '';
  return `npm run bench:${name} [-- --write]

  --write  puts the tables into docs/contributing/benchmarks.md${only}`;
}

/** Prints the tables; with `--write` among the arguments of the process they go into the page too. */
export function publish(tables: readonly BenchTable[]): void {
  for (const one of tables) console.log(page([`## ${one.name}`, table(one.head, one.rows)]));
  if (process.argv.includes('--write')) {
    const text = tables.reduce(replaceTable, readFileSync(PAGE, 'utf8'));
    writeFileSync(PAGE, text);
  }
}

function replaceTable(text: string, { name, head, rows }: BenchTable): string {
  const [start, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from === -1 || to < from) throw new Error(`${PAGE} has no marks ${start} and ${end}.`);
  return `${text.slice(0, from + start.length)}\n${table(head, rows)}\n${text.slice(to)}`;
}
