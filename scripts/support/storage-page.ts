/** `docs/storage.md`: the database of a thread, from the comments in its DDL. */
import { MIGRATIONS } from '#store/migrations.ts';
import {
  readSchema,
  type Column,
  type Definition,
  type Index,
  type Schema,
  type Table,
} from './ddl.ts';
import { code, codeBlock, codeIfAny, linkTo, page, table } from './markdown.ts';

const INTRODUCTION = [
  'Each thread has a SQLite database of its own. Migrations make its tables, in order, when the',
  'thread wakes; the table `migration`, which `src/store/migrate.ts` makes, tells which have run.',
].join(' ');

export function renderStoragePage(): string {
  const schema = readSchema(MIGRATIONS);
  const { tables, triggers, views, virtualTables } = schema;
  return page([
    '# Storage',
    '> Generated from the DDL in `src/store/migrations.ts` by `npm run docs`. Edit the DDL and its comments, not this page.',
    INTRODUCTION,
    renderContents('Tables', [...tables.values()]),
    renderContents('Virtual tables and views', [...virtualTables.values(), ...views.values()]),
    '## Tables',
    ...[...tables.values()].flatMap((one) => renderTable(one, schema)),
    '## Virtual tables',
    ...[...virtualTables.values()].flatMap(renderDefinition),
    '## Views',
    ...[...views.values()].flatMap(renderDefinition),
    '## Triggers',
    table(
      ['Trigger', 'Table', 'Event'],
      [...triggers.values()].map(({ name, table: on, event }) => [code(name), linkTo(on), event]),
    ),
    '## Migrations',
    table(
      ['Id', 'Makes'],
      MIGRATIONS.map(({ id }, position) => [code(id), summarise(position)]),
    ),
  ]);
}

function renderContents(title: string, entries: readonly (Table | Definition)[]): string {
  const lines = entries.map(({ name, comment }) => `- ${linkTo(name, code(name))} ${comment}`);
  return [`${title}:`, '', ...lines].join('\n');
}

function renderTable(
  { name, comment, columns, constraints, options }: Table,
  schema: Schema,
): string[] {
  const indexes = [...schema.indexes.values()].filter((index) => index.table === name);
  return [
    `### ${name}`,
    comment,
    table(['Column', 'Type', 'Constraints', 'Meaning'], columns.map(renderColumn)),
    [...constraints, options]
      .filter((text) => text !== '')
      .map((text) => `- ${code(text)}`)
      .join('\n'),
    indexes.length === 0 ? '' : ['Indexes:', '', ...indexes.map(renderIndex)].join('\n'),
  ];
}

function renderColumn({ name, type, constraints, comment }: Column): string[] {
  return [code(name), type, codeIfAny(constraints), comment];
}

function renderIndex({ name, isUnique, columns, condition, comment }: Index): string {
  const where = condition === '' ? '' : ` where ${code(condition)}`;
  const why = comment === '' ? '' : `. ${comment}`;
  return `- ${code(name)}${isUnique ? ', unique,' : ''} on ${code(columns)}${where}${why}`;
}

function renderDefinition({ name, comment, sql }: Definition): string[] {
  return [`### ${name}`, comment, codeBlock('sql', `${sql};`)];
}

/** What the migration at that position adds to the schema. */
function summarise(position: number): string {
  const before = readSchema(MIGRATIONS.slice(0, position));
  const after = readSchema(MIGRATIONS.slice(0, position + 1));
  const added = (kind: keyof Schema) =>
    [...after[kind].keys()].filter((name) => !before[kind].has(name));
  const columns = [...after.tables.values()].flatMap((one) => {
    const known = before.tables.get(one.name)?.columns.length ?? one.columns.length;
    return one.columns.slice(known).map((column) => `${one.name}.${column.name}`);
  });
  const names = [...added('tables'), ...columns, ...added('virtualTables'), ...added('views')];
  const counts = (['indexes', 'triggers'] as const).flatMap((kind) =>
    added(kind).length > 0 ? [`${added(kind).length} ${kind}`] : [],
  );
  return [...names.map(code), ...counts].join(', ');
}
