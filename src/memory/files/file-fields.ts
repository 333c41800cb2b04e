/** Checks the values of a record, one by one, and says in a sentence what is wrong with the first. */
import { quote } from '#errors.ts';
import { TIME_MAX } from '#graph/moment.ts';
import { normaliseName } from '#graph/names.ts';
import {
  countChars,
  findCharacterProblem,
  hasInfinity,
  hasNull,
  isDeeper,
  nameType,
} from '#graph/rules/text-rules.ts';
import { METADATA_LEVELS_MAX, NODE_ID_MAX } from '#limits.ts';
import { isParkedName } from '#store/history/name-conflicts.ts';
import {
  fieldsOf,
  STATE_FIELDS,
  type ArchiveField,
  type ArchiveRow,
  type ArchiveTable,
  type Cell,
  type CellRule,
} from '#store/bulk/archive-tables.ts';

/** What is wrong with a record, and its line where the caller does not know that. */
export class RecordFault extends Error {
  override readonly name = 'RecordFault';
  readonly line: number | null;
  /** Whether it is a line of the history, which a file can do without. */
  isHistory = false;

  constructor(problem: string, line: number | null = null) {
    super(problem);
    this.line = line;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The values of a table's row. Throws `RecordFault`, also for a field that the table does not have. */
export function readRow(table: ArchiveTable, record: JsonObject): ArchiveRow {
  const left = isHistorical(table) ? HISTORICAL : [];
  const parked = parkedNamesIn(record);
  const named = Object.keys(parked).map((field) => [field, 'parked']);
  const checked = readFields(fieldsOf(table), { ...record, ...Object.fromEntries(named) }, left);
  const row = { ...checked, ...parked };
  return table === 'version' ? { ...row, state: readState(row) } : row;
}

/** The history keeps names that rows waited with while changes were taken back; no live row has one. */
function parkedNamesIn({ name, sessionId }: JsonObject): Record<string, string> {
  return {
    ...(typeof name === 'string' && isParkedName(name) && { name }),
    ...(typeof sessionId === 'string' && isParkedName(sessionId) && { sessionId }),
  };
}

/** The row of a node's record, whose fields are those of two tables. */
export function readNodeRecord(
  kind: Extract<ArchiveTable, 'entity' | 'fact' | 'turn' | 'summary'>,
  { type: _, ...record }: JsonObject,
): { readonly node: ArchiveRow; readonly own: ArchiveRow } {
  const own = fieldsOf(kind);
  const shared = fieldsOf('node').filter(({ name }) => name !== 'kind');
  refuseUnknown([...own, ...shared], record);
  return {
    node: { ...pick(shared, record), kind },
    own: pick(own, record),
  };
}

/** The row of a record that is one row. */
export function readTableRecord(
  table: 'edge' | 'version',
  { type: _, ...record }: JsonObject,
): ArchiveRow {
  return readRow(table, record);
}

/** The history does not tell when a node was last found. */
const HISTORICAL = ['accessedAt'];

function isHistorical(table: ArchiveTable): boolean {
  return table === 'node';
}

function readState(row: ArchiveRow): Cell {
  const state = readFields(STATE_FIELDS, row['state'] as JsonObject, []);
  if (state['nodeId'] === row['node']) return state;
  throw new RecordFault(
    `state is of the node ${quote(state['nodeId'])}, not of ${quote(row['node'])}`,
  );
}

function readFields(
  fields: readonly ArchiveField[],
  record: JsonObject,
  left: readonly string[],
): ArchiveRow {
  const wanted = fields.filter(({ name }) => !left.includes(name));
  refuseUnknown(wanted, record);
  return pick(wanted, record);
}

function refuseUnknown(fields: readonly ArchiveField[], record: JsonObject): void {
  const unknown = Object.keys(record).find((key) => !fields.some(({ name }) => name === key));
  if (unknown !== undefined) throw new RecordFault(`there is no field ${quote(unknown)}`);
}

function pick(fields: readonly ArchiveField[], record: JsonObject): ArchiveRow {
  return Object.fromEntries(
    fields.map((field) => [
      field.name,
      readCell(field, Object.hasOwn(record, field.name) ? record[field.name] : undefined),
    ]),
  );
}

/** Throws `RecordFault` for a value that the field cannot have. */
function readCell({ name, rule, isNullable }: ArchiveField, value: unknown): Cell {
  if (value === undefined) throw new RecordFault(`${name} is missing`);
  if (value === null && isNullable) return null;
  const problem = findProblem(rule, value);
  if (problem === undefined) return value as Cell;
  throw new RecordFault(
    `${name} is ${typeof value === 'string' ? quote(value) : describe(value)}: ${problem}`,
  );
}

function describe(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : nameType(value);
}

function findProblem(rule: CellRule, value: unknown): string | undefined {
  switch (rule.kind) {
    case 'id':
      return isWhole(value, 1, NODE_ID_MAX) ? undefined : 'expected the number of a node';
    case 'count': {
      const { min = 0, max = NODE_ID_MAX } = rule;
      return isWhole(value, min, max) ? undefined : `expected a whole number from ${min} to ${max}`;
    }
    case 'time':
      return isWhole(value, rule.min ?? -TIME_MAX, TIME_MAX)
        ? undefined
        : 'expected epoch milliseconds';
    case 'unit':
      return isNumber(value) && value >= 0 && value <= 1
        ? undefined
        : 'expected a number from 0 to 1';
    case 'positive':
      return isNumber(value) && value > 0 ? undefined : 'expected a number above 0';
    case 'flag':
      return typeof value === 'boolean' ? undefined : 'expected true or false';
    case 'choice':
      return rule.of.some((one) => one === value)
        ? undefined
        : `expected one of ${rule.of.join(', ')}`;
    case 'text':
      return findTextFault(rule, value);
    case 'object':
      return findObjectFault(rule, value);
    case 'texts':
      return Array.isArray(value) &&
        value.every((one) => findTextFault({ kind: 'text' }, one) === undefined)
        ? undefined
        : 'expected a list of texts';
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

export function isWhole(value: unknown, min: number, max: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
}

function findTextFault(
  { charsMax, isLabel }: Extract<CellRule, { kind: 'text' }>,
  value: unknown,
): string | undefined {
  if (typeof value !== 'string') return 'expected text';
  if (!value.isWellFormed()) return 'half of a surrogate pair is no Unicode';
  // It would end the text where SQLite reads it.
  if (value.includes('\0')) return 'the character U+0000 cannot be stored';
  if (!isLabel) return undefined;
  if (findCharacterProblem(value) !== undefined) return 'control characters cannot be stored';
  if (value === '') return 'expected text that is not empty';
  if (charsMax !== undefined && countChars(value) > charsMax)
    return `at most ${charsMax} characters`;
  return normaliseName(value) === value || value.normalize('NFC').trim() === value
    ? undefined
    : 'expected Unicode NFC with no space at either end';
}

function findObjectFault(
  { levelsMax = METADATA_LEVELS_MAX }: Extract<CellRule, { kind: 'object' }>,
  value: unknown,
): string | undefined {
  if (!isObject(value)) return 'expected an object';
  if (isDeeper(value, levelsMax)) return `more than ${levelsMax} levels`;
  if (hasInfinity(value)) return 'a number beyond 1.8e308 cannot be stored';
  return hasNull(value) ? 'the character U+0000 cannot be stored' : undefined;
}
