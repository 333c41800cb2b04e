/**
 * Reads the lines of a file into records: our own (`docs/use/files.md`), or those of the reference memory
 * server. A record is checked by itself here; how records fit together is `import-plan.ts`.
 */
import { quote } from '#errors.ts';
import { normaliseContent } from '#graph/fact.ts';
import type { NodeKind } from '#graph/ids.ts';
import { TIME_MAX } from '#graph/moment.ts';
import { normaliseName } from '#graph/names.ts';
import type { ArchivedChange, ArchivedRevision } from '#store/bulk/archive-reading.ts';
import { isArchiveTable, type ArchiveRow } from '#store/bulk/archive-tables.ts';
import { byteLength } from '#store/json-lists.ts';
import type { FileFormat } from '#store/bulk/transfers.ts';
import {
  isObject,
  isWhole,
  readNodeRecord,
  readRow,
  readTableRecord,
  RecordFault,
  type JsonObject,
} from './file-fields.ts';
import { ARCHIVE_FORMAT, ARCHIVE_VERSION, type ArchiveCounts } from './file-format.ts';
import type { LineFault } from './file-faults.ts';
import {
  KEPT_ID_MAX,
  REVISION_LABEL_CHARS_MAX,
  ROW_BYTES_MAX,
  SAVES_COUNTED_MAX,
} from '#limits.ts';

export interface ArchiveHeader {
  readonly type: 'header';
  /** Only for a file that was written whole. */
  readonly counts: Partial<ArchiveCounts>;
  readonly lastId: number;
  readonly forgottenTo: number;
  readonly forgottenAt: number;
  readonly savesAccepted: number;
  readonly savesRejected: number;
}

export type ArchiveRecord =
  | ArchiveHeader
  | {
      readonly type: 'node';
      readonly kind: NodeKind;
      readonly node: ArchiveRow;
      readonly own: ArchiveRow;
    }
  | { readonly type: 'edge'; readonly row: ArchiveRow }
  | { readonly type: 'version'; readonly row: ArchiveRow }
  | { readonly type: 'revision'; readonly revision: ArchivedRevision }
  | { readonly type: 'change'; readonly change: ArchivedChange };

/** What one line of the reference memory server's file says. */
export type ReferenceRecord =
  | {
      readonly type: 'reference entity';
      readonly name: string;
      readonly entityType: string;
      /** As they are in the file: each is checked by itself. */
      readonly observations: readonly unknown[];
    }
  | {
      readonly type: 'reference relation';
      readonly from: string;
      readonly to: string;
      readonly relationType: string;
    };

export interface Line<Record> {
  readonly line: number;
  readonly record: Record;
}

/** A record of a file, or what is wrong with its line. */
export type ReadLine = Line<ArchiveRecord> | LineFault;

const NEWLINE = 10;

/**
 * The texts of whole lines of UTF-8, and a fault for each line that is none. Line ends may be of
 * either kind; a byte order mark may come first.
 */
export function* readTexts(
  piece: Uint8Array,
  firstLine: number,
): Generator<{ readonly line: number; readonly text: string } | LineFault> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let line = firstLine;
  for (let start = 0; start < piece.length; line += 1) {
    const found = piece.indexOf(NEWLINE, start);
    const end = found === -1 ? piece.length : found;
    const text = decode(decoder, piece.subarray(start, end));
    if (text === undefined) yield { line, problem: 'these bytes are not UTF-8' };
    else yield { line, text: (line === 1 ? text.replace(/^\ufeff/, '') : text).trim() };
    start = end + 1;
  }
}

function decode(decoder: TextDecoder, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Lines that a piece has; its last one may lack its end. */
export function countLines(piece: Uint8Array): number {
  let lines = 0;
  for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, at + 1)) lines += 1;
  return piece.length > 0 && piece.at(-1) !== NEWLINE ? lines + 1 : lines;
}

/**
 * Throws `RecordFault` for a text that is not a record of that format, and for one that would fit no row:
 * `isHistory` where the rest of the file can do without it.
 */
export function readRecord(format: FileFormat, text: string): ArchiveRecord | ReferenceRecord {
  const record = parseLine(text);
  if (format !== 'skein') return readReference(record);
  const isHistory = record['type'] === 'revision' || record['type'] === 'change';
  try {
    refuseLongRow(record, text);
    return readOwn(record);
  } catch (error) {
    if (error instanceof RecordFault && isHistory) error.isHistory = true;
    throw error;
  }
}

/** In a row, objects are texts, and the history holds rows as texts: signs are escaped twice. */
function refuseLongRow(record: JsonObject, line: string): void {
  if (line.length * 6 <= ROW_BYTES_MAX) return;
  const escaped = JSON.stringify(record, (key, value: unknown) =>
    OBJECT_FIELDS.has(key) && isObject(value) ? JSON.stringify(value) : value,
  );
  const bytes = byteLength(escaped);
  if (bytes <= ROW_BYTES_MAX) return;
  throw new RecordFault(`it would take ${bytes} bytes of ${ROW_BYTES_MAX} in a row`);
}

const OBJECT_FIELDS = new Set(['metadata', 'state']);

/**
 * The format of a file by its first line that is not empty. Throws `RecordFault` for any other line,
 * and for a header that this server cannot read.
 */
export function detectFormat(text: string): FileFormat {
  const record = parseLine(text);
  const type = record['type'];
  if (type === 'header') {
    readHeader(record);
    return 'skein';
  }
  if (Object.hasOwn(record, 'name') ? type === 'entity' : type === 'relation') return 'reference';
  throw new RecordFault(
    `expected the header of a file of export_database, or a graph of entities and relations, found ${quote(text)}`,
  );
}

function parseLine(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RecordFault(`this is no JSON, or not all of it: ${quote(text)}`);
  }
  if (isObject(value)) return value;
  throw new RecordFault(`expected an object, found ${quote(text)}`);
}

function readOwn(record: JsonObject): ArchiveRecord {
  const type = Object.hasOwn(record, 'type') ? record['type'] : undefined;
  switch (type) {
    case 'header':
      return readHeader(record);
    case 'entity':
    case 'fact':
    case 'turn':
    case 'summary':
      return { type: 'node', kind: type, ...readNodeRecord(type, record) };
    case 'edge':
    case 'version':
      return { type, row: readTableRecord(type, record) };
    case 'revision':
      return { type, revision: readRevision(record) };
    case 'change':
      return { type, change: readChange(record) };
    default:
      throw new RecordFault(`there are no records of the type ${quote(type)}`);
  }
}

function readHeader(record: JsonObject): ArchiveHeader {
  if (record['format'] !== ARCHIVE_FORMAT) {
    throw new RecordFault(`the format is ${quote(record['format'])}, expected '${ARCHIVE_FORMAT}'`);
  }
  if (record['version'] !== ARCHIVE_VERSION) {
    throw new RecordFault(
      `the file has version ${quote(record['version'])}, this server reads version ${ARCHIVE_VERSION}`,
    );
  }
  const history = isObject(record['history']) ? record['history'] : {};
  const saves = isObject(record['saves']) ? record['saves'] : {};
  const counts = isObject(record['counts']) ? record['counts'] : {};
  return {
    type: 'header',
    counts: Object.fromEntries(
      COUNTED.filter((name) => counts[name] !== undefined).map((name) => [
        name,
        readCount(counts, name),
      ]),
    ),
    lastId: readCount(record, 'lastId'),
    forgottenTo: readCount(history, 'forgottenTo'),
    forgottenAt: readCount(history, 'forgottenAt'),
    // No save is refused for how many there were before.
    savesAccepted: Math.min(readCount(saves, 'accepted'), SAVES_COUNTED_MAX),
    savesRejected: Math.min(readCount(saves, 'rejected'), SAVES_COUNTED_MAX),
  };
}

export const COUNTED = [
  'entities',
  'facts',
  'turns',
  'summaries',
  'edges',
  'versions',
  'revisions',
  'changes',
] as const satisfies (keyof ArchiveCounts)[];

/** 0 for what is left out. */
function readCount(record: JsonObject, name: string): number {
  const value = record[name] ?? 0;
  if (isWhole(value, 0, Number.MAX_SAFE_INTEGER)) return value;
  throw new RecordFault(`${name} is ${quote(value)}: expected a whole number`);
}

function readRevision({ id, at, actor, tool }: JsonObject): ArchivedRevision {
  if (!isWhole(id, 1, KEPT_ID_MAX)) {
    throw new RecordFault(`id is ${quote(id)}: expected the number of a revision`);
  }
  if (!isWhole(at, 0, TIME_MAX)) {
    throw new RecordFault(`at is ${quote(at)}: expected epoch milliseconds`);
  }
  return { id, at, actor: readLabel('actor', actor), tool: readLabel('tool', tool) };
}

function readLabel(name: string, value: unknown): string {
  const label = readText(name, value);
  if (label.length <= REVISION_LABEL_CHARS_MAX) return label;
  throw new RecordFault(`${name} has more than ${REVISION_LABEL_CHARS_MAX} characters`);
}

/** Throws `RecordFault` for anything else. */
export function readText(name: string, value: unknown): string {
  if (typeof value === 'string' && value.isWellFormed() && !value.includes('\0')) return value;
  throw new RecordFault(`${name} is ${quote(value)}: expected text`);
}

function readChange(record: JsonObject): ArchivedChange {
  const { of, before, after } = record;
  if (!isArchiveTable(of)) throw new RecordFault(`of is ${quote(of)}: there is no such table`);
  const readState = (name: string, state: unknown) => {
    if (state === null) return null;
    if (isObject(state)) return readRow(of, state);
    throw new RecordFault(`${name} is ${quote(state)}: expected a row or null`);
  };
  const change = {
    revision: readCount(record, 'revision'),
    number: readCount(record, 'number'),
    of,
    before: readState('before', before),
    after: readState('after', after),
  };
  if (change.before !== null || change.after !== null) return change;
  throw new RecordFault('before and after are both null: nothing changed');
}

function readReference(record: JsonObject): ReferenceRecord {
  if (record['type'] === 'relation') {
    return {
      type: 'reference relation',
      from: normaliseName(readText('from', record['from'])),
      to: normaliseName(readText('to', record['to'])),
      relationType: normaliseContent(readText('relationType', record['relationType'])),
    };
  }
  if (record['type'] !== 'entity') {
    throw new RecordFault(`the type is ${quote(record['type'])}: expected entity or relation`);
  }
  const { observations } = record;
  if (!Array.isArray(observations)) throw new RecordFault('observations is no list');
  return {
    type: 'reference entity',
    name: normaliseName(readText('name', record['name'])),
    entityType: normaliseContent(readText('entityType', record['entityType'])),
    observations,
  };
}
