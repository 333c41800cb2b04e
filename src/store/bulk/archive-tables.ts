/**
 * What of a thread stands in an archive: the name that each value has there, the column that keeps
 * it, and what it may be. One list serves writing, reading and the history of a table, so that the
 * three cannot disagree. The columns stand in the order of the triggers that write the history.
 */
import { hashText } from '#graph/text/hash.ts';
import { NODE_STATUSES } from '#graph/memory-node.ts';
import { foldName } from '#graph/names.ts';
import {
  ENTITY_NAME_CHARS_MAX,
  ENTITY_TYPE_CHARS_MAX,
  METADATA_LEVELS_MAX,
  EXPIRES_AT_MIN,
  RELATION_TYPE_CHARS_MAX,
} from '#limits.ts';

/** A value as it stands in an archive. */
export type Cell = string | number | boolean | object | null;

/** By the names of the archive. */
export type ArchiveRow = Readonly<Record<string, Cell>>;

export type CellRule =
  /** A positive whole number that names a node. */
  | { readonly kind: 'id' }
  /** A whole number from `min` (0) to `max`. */
  | { readonly kind: 'count'; readonly min?: number; readonly max?: number }
  /** Epoch milliseconds. */
  | { readonly kind: 'time'; readonly min?: number }
  /** From 0 to 1. */
  | { readonly kind: 'unit' }
  /** Any number above 0. */
  | { readonly kind: 'positive' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  /** `isLabel` for a name or a type: not empty, as it is stored, at most so many characters. */
  | { readonly kind: 'text'; readonly charsMax?: number; readonly isLabel?: boolean }
  /** At most `levelsMax` levels (`METADATA_LEVELS_MAX`). */
  | { readonly kind: 'object'; readonly levelsMax?: number }
  | { readonly kind: 'texts' };

export interface ArchiveField {
  /** In an archive. */
  readonly name: string;
  readonly column: string;
  readonly rule: CellRule;
  readonly isNullable: boolean;
  /** False for what is no history. */
  readonly isHistory: boolean;
  /** For a column that follows from the others and does not stand in an archive. */
  readonly derive?: (row: ArchiveRow) => Cell;
}

export const ARCHIVE_TABLES = [
  'node',
  'entity',
  'fact',
  'turn',
  'summary',
  'edge',
  'version',
] as const;

/** A table by its name in an archive. */
export type ArchiveTable = (typeof ARCHIVE_TABLES)[number];

const id = { kind: 'id' } as const;
const time = { kind: 'time' } as const;
const text = { kind: 'text' } as const;
const score = { kind: 'count', max: 100 } as const;

function field(name: string, column: string, rule: CellRule): ArchiveField {
  return { name, column, rule, isNullable: false, isHistory: true };
}

function orNull(given: ArchiveField): ArchiveField {
  return { ...given, isNullable: true };
}

function derived(column: string, rule: CellRule, derive: ArchiveField['derive']): ArchiveField {
  return { ...field(column, column, rule), ...(derive && { derive }) };
}

const KIND = { kind: 'choice', of: ['entity', 'fact', 'turn', 'summary'] } as const;
const STATUS = { kind: 'choice', of: NODE_STATUSES } as const;

const NAMES: Readonly<Record<ArchiveTable, string>> = {
  node: 'node',
  entity: 'entity',
  fact: 'fact',
  turn: 'turn',
  summary: 'summary',
  edge: 'edge',
  version: 'node_version',
};

const FIELDS: Readonly<Record<ArchiveTable, readonly ArchiveField[]>> = {
  node: [
    field('id', 'id', id),
    field('kind', 'kind', KIND),
    field('status', 'status', STATUS),
    field('confidence', 'confidence', { kind: 'unit' }),
    field('importance', 'importance', { kind: 'unit' }),
    orNull(field('source', 'source', text)),
    orNull(field('metadata', 'metadata', { kind: 'object' })),
    field('createdAt', 'created_at', time),
    field('updatedAt', 'updated_at', time),
    orNull(field('expiresAt', 'expires_at', { kind: 'time', min: EXPIRES_AT_MIN })),
    orNull(field('ttlDays', 'ttl_days', { kind: 'positive' })),
    { ...orNull(field('accessedAt', 'accessed_at', time)), isHistory: false },
  ],
  entity: [
    field('id', 'node_id', id),
    field('name', 'name', { kind: 'text', charsMax: ENTITY_NAME_CHARS_MAX, isLabel: true }),
    derived('folded_name', text, (row) => foldName(textOf(row, 'name'))),
    field('entityType', 'type', { kind: 'text', charsMax: ENTITY_TYPE_CHARS_MAX, isLabel: true }),
  ],
  fact: [
    field('id', 'node_id', id),
    orNull(field('entity', 'entity_id', id)),
    field('content', 'content', text),
    derived('content_hash', { kind: 'count' }, (row) => hashText(textOf(row, 'content'))),
    field('isAtomic', 'is_atomic', { kind: 'flag' }),
    field('version', 'version', { kind: 'count', min: 1 }),
    orNull(field('supersedes', 'supersedes', id)),
    orNull(field('supersededBy', 'superseded_by', id)),
  ],
  turn: [
    field('id', 'node_id', id),
    field('sessionId', 'session_id', text),
    field('prompt', 'prompt', text),
    field('thought', 'thought', text),
    field('response', 'response', text),
    orNull(field('agent', 'agent', text)),
    orNull(field('model', 'model', text)),
  ],
  summary: [
    field('id', 'node_id', id),
    field('sessionId', 'session_id', text),
    field('title', 'title', text),
    field('summary', 'summary', text),
    field('category', 'category', text),
    field('quality', 'quality', score),
    field('productivity', 'productivity', score),
    field('impact', 'impact', score),
    field('complexity', 'complexity', score),
    field('technologies', 'technologies', { kind: 'texts' }),
    field('turnCount', 'turn_count', { kind: 'count' }),
  ],
  edge: [
    field('from', 'from_id', id),
    field('to', 'to_id', id),
    field('relationType', 'type', {
      kind: 'text',
      charsMax: RELATION_TYPE_CHARS_MAX,
      isLabel: true,
    }),
    field('importance', 'importance', { kind: 'unit' }),
    orNull(field('metadata', 'metadata', { kind: 'object' })),
    field('createdAt', 'created_at', time),
  ],
  version: [
    field('node', 'node_id', id),
    field('version', 'version', { kind: 'count', min: 1 }),
    // It has metadata in it.
    field('state', 'state', { kind: 'object', levelsMax: METADATA_LEVELS_MAX + 1 }),
    field('replacedAt', 'replaced_at', time),
  ],
};

/** What a kept state of a node says, in the order in which it is written (`MemoryNode`). */
export const STATE_FIELDS: readonly ArchiveField[] = [
  field('nodeId', 'nodeId', id),
  field('kind', 'kind', { kind: 'choice', of: ['fact', 'entity'] }),
  field('text', 'text', text),
  orNull(field('entityType', 'entityType', text)),
  orNull(field('entityId', 'entityId', id)),
  field('status', 'status', STATUS),
  orNull(field('supersededBy', 'supersededBy', id)),
  field('metadata', 'metadata', { kind: 'object' }),
  orNull(field('source', 'source', text)),
  orNull(field('ttlDays', 'ttlDays', { kind: 'positive' })),
  field('createdAt', 'createdAt', time),
  field('updatedAt', 'updatedAt', time),
  orNull(field('expiresAt', 'expiresAt', time)),
];

/** The table's name in the database. */
export function tableName(table: ArchiveTable): string {
  return NAMES[table];
}

export function isArchiveTable(value: unknown): value is ArchiveTable {
  return ARCHIVE_TABLES.some((table) => table === value);
}

/** Every column that an import writes. */
export function columnsOf(table: ArchiveTable): readonly ArchiveField[] {
  return FIELDS[table];
}

/** What stands in an archive. */
export function fieldsOf(table: ArchiveTable): readonly ArchiveField[] {
  return FIELDS[table].filter(({ derive }) => derive === undefined);
}

/** What the history keeps of a row. */
export function historyOf(table: ArchiveTable): readonly ArchiveField[] {
  return FIELDS[table].filter(({ isHistory }) => isHistory);
}

/** A value that a rule makes text. */
export function textOf(row: ArchiveRow, name: string): string {
  const cell = row[name];
  return typeof cell === 'string' ? cell : '';
}

/** A value that a rule makes a number. */
export function numberOf(row: ArchiveRow, name: string): number {
  return Number(row[name]);
}

/** What tells the rows of a table apart. */
export function keyOf(table: ArchiveTable, row: ArchiveRow): string {
  if (table === 'edge') return JSON.stringify([row['from'], row['to'], row['relationType']]);
  if (table === 'version') return JSON.stringify([row['node'], row['version']]);
  return String(numberOf(row, 'id'));
}

/** A value as SQLite keeps it. */
export function toSqlCell(field: ArchiveField, row: ArchiveRow): string | number | null {
  const cell = field.derive === undefined ? (row[field.name] ?? null) : field.derive(row);
  if (typeof cell === 'boolean') return cell ? 1 : 0;
  return typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : cell;
}

/** The value that a column has, as it stands in an archive. */
export function fromSqlCell({ rule }: ArchiveField, value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (rule.kind === 'flag') return value === 1;
  if (rule.kind === 'object' || rule.kind === 'texts') return JSON.parse(value as string) as Cell;
  return value as Cell;
}
