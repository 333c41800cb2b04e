/**
 * What the migrations come to on a database that holds nothing: what one makes and a later one drops is not
 * made, and no rows are written. Half of the statements are left, which a new thread waits for.
 */
import type { Migration } from './migrations.ts';

interface Statement {
  /** With its comments: SQLite keeps them as part of a table. */
  readonly text: string;
  readonly verb: string;
  /** Of what it makes, drops or changes, such as `trigger node_inserted`. */
  readonly subject: string;
}

/** One script of all migrations. */
export function freshSchema(migrations: readonly Migration[]): string {
  const kept: Statement[] = [];
  for (const statement of migrations.flatMap(({ up }) => readStatements(up))) {
    if (statement.verb === 'DROP') {
      const made = kept.findLastIndex(({ subject }) => subject === statement.subject);
      if (made !== -1) kept.splice(made, 1);
    } else if (statement.verb === 'CREATE' || statement.verb === 'ALTER') {
      kept.push(statement);
    }
  }
  return kept.map(({ text }) => text).join('');
}

const TOKENS = /--[^\n]*|'[^']*'|;|[^;'-]+|-/g;

/** A semicolon ends a statement, except inside of a trigger, which ends with its `END`. */
function readStatements(script: string): Statement[] {
  const statements: Statement[] = [];
  let text = '';
  let code = '';
  for (const [token] of script.matchAll(TOKENS)) {
    text += token;
    if (!token.startsWith('--')) code += token;
    const isInside = /^\s*CREATE TRIGGER/.test(code) && !/\bEND\s*;$/.test(code);
    if (token !== ';' || isInside) continue;
    const [, verb = '', kind = '', name = ''] = HEAD.exec(code) ?? [];
    statements.push({ text, verb, subject: verb === 'ALTER' ? '' : `${kind} ${name}` });
    text = '';
    code = '';
  }
  return statements;
}

const HEAD = /^\s*(\w+)(?:\s+(?:UNIQUE|VIRTUAL))?\s+(\w+)\s+(\w+)/;
