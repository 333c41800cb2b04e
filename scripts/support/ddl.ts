/**
 * Reads the migrations' DDL as the documentation that it is: a comment above what it is about, a
 * column a line with its comment behind it. What it cannot read it refuses, so that the page that
 * is made of it leaves nothing out.
 */
import type { Migration } from '#store/migrations.ts';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly constraints: string;
  readonly comment: string;
}

export interface Index {
  readonly name: string;
  readonly table: string;
  readonly isUnique: boolean;
  readonly columns: string;
  /** Of a partial index; otherwise empty. */
  readonly condition: string;
  readonly comment: string;
}

export interface Table {
  readonly name: string;
  readonly comment: string;
  readonly columns: readonly Column[];
  /** Constraints of the table as a whole. */
  readonly constraints: readonly string[];
  /** Such as `STRICT, WITHOUT ROWID`. */
  readonly options: string;
}

export interface Trigger {
  readonly name: string;
  readonly table: string;
  /** Such as `AFTER UPDATE OF name`. */
  readonly event: string;
}

/** A view or a virtual table, whose definition is its own best description. */
export interface Definition {
  readonly name: string;
  readonly comment: string;
  readonly sql: string;
}

export interface Schema {
  readonly tables: Map<string, Table>;
  readonly indexes: Map<string, Index>;
  readonly triggers: Map<string, Trigger>;
  readonly views: Map<string, Definition>;
  readonly virtualTables: Map<string, Definition>;
}

interface Statement {
  /** Of the lines above it, without their dashes. */
  readonly comment: string;
  readonly sql: string;
}

type Reader = (schema: Schema, statement: Statement, parts: readonly string[]) => void;

/** The schema after the last migration. Throws for a statement that it cannot read. */
export function readSchema(migrations: readonly Migration[]): Schema {
  const schema: Schema = {
    tables: new Map(),
    indexes: new Map(),
    triggers: new Map(),
    views: new Map(),
    virtualTables: new Map(),
  };
  for (const { up } of migrations) {
    for (const statement of splitStatements(up)) readStatement(schema, statement);
  }
  return schema;
}

/** Statements end at a semicolon that stands in no text, no comment and no trigger. */
function splitStatements(script: string): Statement[] {
  const statements: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of script.matchAll(
    /--.*|'(?:[^']|'')*'|\b(?:BEGIN|CASE|END)\b|;/gi,
  )) {
    if (/^(?:BEGIN|CASE)$/i.test(token)) depth += 1;
    if (/^END$/i.test(token)) depth -= 1;
    if (token !== ';' || depth > 0) continue;
    statements.push(script.slice(start, index));
    start = index + 1;
  }
  return [...statements, script.slice(start)].map(toStatement).filter(({ sql }) => sql !== '');
}

function toStatement(text: string): Statement {
  const [above = ''] = /^(?:\s*--.*(?:\n|$))*\s*/.exec(text) ?? [];
  const lines = above.split('\n').map((line) => line.trim().replace(/^-- ?/, ''));
  return { comment: lines.join(' ').trim(), sql: text.slice(above.length).trim() };
}

const READERS: readonly (readonly [RegExp, Reader])[] = [
  [/^CREATE TABLE (\w+) \(([^]*)\)\s*([\w, ]*)$/, readTable],
  [/^CREATE (UNIQUE )?INDEX (\w+) ON (\w+) \((.+?)\)(?: WHERE (.+))?$/, readIndex],
  [
    /^CREATE TRIGGER (\w+) ((?:BEFORE|AFTER) (?:INSERT|DELETE|UPDATE(?: OF [\w, ]+)?)) ON (\w+)\s/,
    readTrigger,
  ],
  [
    /^CREATE VIEW (\w+)/,
    ({ views }, { comment, sql }, [name = '']) => views.set(name, { name, comment, sql }),
  ],
  [
    /^CREATE VIRTUAL TABLE (\w+)/,
    ({ virtualTables }, { comment, sql }, [name = '']) =>
      virtualTables.set(name, { name, comment, sql }),
  ],
  [/^ALTER TABLE (\w+) ADD COLUMN (.+)$/, readAddedColumn],
  [/^DROP (?:TABLE|INDEX|TRIGGER|VIEW) (?:IF EXISTS )?(\w+)$/, readDrop],
  // Statements that change rows leave the schema as it is.
  [/^(?:INSERT|UPDATE|DELETE) /, () => {}],
];

function readStatement(schema: Schema, statement: Statement): void {
  for (const [pattern, read] of READERS) {
    const parts = pattern.exec(statement.sql);
    if (parts) return read(schema, statement, parts.slice(1));
  }
  throw new Error(`Teach scripts/support/ddl.ts to read this statement:\n${statement.sql}`);
}

function readTable({ tables }: Schema, { comment }: Statement, parts: readonly string[]): void {
  const [name = '', body = '', options = ''] = parts;
  const lines = body.split('\n').flatMap((line) => (line.trim() === '' ? [] : [readLine(line)]));
  const isWhole = (line: { text: string }) => /^(?:CHECK|PRIMARY|FOREIGN|UNIQUE)\b/.test(line.text);
  tables.set(name, {
    name,
    comment,
    columns: lines
      .filter((line) => !isWhole(line))
      .map((line) => toColumn(line.text, line.comment)),
    constraints: lines.filter(isWhole).map((line) => line.text),
    options: options.trim(),
  });
}

function readLine(line: string): { text: string; comment: string } {
  const [, text = '', comment = ''] = /^\s*(.+?),?(?:\s+--\s+(.+))?$/.exec(line) ?? [];
  return { text, comment };
}

function toColumn(definition: string, comment: string): Column {
  const [, name, type, constraints = ''] =
    /^(\w+)\s+(INTEGER|REAL|TEXT|BLOB|ANY)\b\s*(.*)$/.exec(definition) ?? [];
  if (name === undefined || type === undefined || !isOne(constraints)) {
    throw new Error(`In a CREATE TABLE, write one column a line; this is none: ${definition}`);
  }
  return { name, type, constraints: constraints.replaceAll(/\s+/g, ' '), comment };
}

/** Whether nothing is left over but words, once texts and what stands in brackets are gone. */
function isOne(constraints: string): boolean {
  let rest = constraints.replaceAll(/'[^']*'/g, '');
  while (/\([^()]*\)/.test(rest)) rest = rest.replaceAll(/\([^()]*\)/g, '');
  return !/[,'()]/.test(rest);
}

function readIndex({ indexes }: Schema, { comment }: Statement, parts: readonly string[]): void {
  const [unique, name = '', table = '', columns = '', condition = ''] = parts;
  indexes.set(name, { name, table, isUnique: unique !== undefined, columns, condition, comment });
}

function readTrigger({ triggers }: Schema, _: Statement, parts: readonly string[]): void {
  const [name = '', event = '', table = ''] = parts;
  triggers.set(name, { name, table, event });
}

function readAddedColumn(
  { tables }: Schema,
  { comment }: Statement,
  parts: readonly string[],
): void {
  const [name = '', definition = ''] = parts;
  const table = tables.get(name);
  if (table === undefined)
    throw new Error(`A migration adds a column to ${name}, which is no table.`);
  tables.set(name, { ...table, columns: [...table.columns, toColumn(definition, comment)] });
}

/** With a table go its indexes and triggers. */
function readDrop(schema: Schema, _: Statement, [name = '']: readonly string[]): void {
  for (const things of Object.values(schema)) things.delete(name);
  for (const things of [schema.indexes, schema.triggers]) {
    for (const thing of things.values()) if (thing.table === name) things.delete(thing.name);
  }
}
