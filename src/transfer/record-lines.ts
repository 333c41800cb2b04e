/**
 * Makes lines of a graph that was exported as one JSON object, `{"entities":[…],"relations":[…]}`, as
 * the file of the reference memory server has them. A file of lines passes through as it is.
 */
import { quote } from '#errors.ts';
import { faultyFile, faultyLine } from '#memory/files/file-faults.ts';

/** The beginning of a graph; no line of a file of lines begins like it. */
const GRAPH = /^(?:\u00ef\u00bb\u00bf)?\s*\{\s*"(?:entities|relations)"/;
/** By which a graph is known, unless it begins with more white space than anybody writes. */
const BEGINNING_BYTES = 1024;

/** The type of the records in each list. */
const LISTS: Readonly<Record<string, string>> = { entities: 'entity', relations: 'relation' };

/**
 * Yields the chunks of a file of lines, or a line for each entity and relation of a graph, which
 * keeps its line number where it begins on a line of its own. Holds no record. Throws for a graph
 * that has anything else in it, or no end.
 */
export async function* toRecordLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let beginning: Uint8Array = new Uint8Array();
  let isKnown = false;
  let splitter: ReturnType<typeof openSplitter> | undefined;

  /** What a chunk becomes; nothing while it is not known what the file is. */
  function read(chunk: Uint8Array, isLast: boolean): Uint8Array {
    if (isKnown) return splitter?.push(chunk) ?? chunk;
    beginning = join([beginning, chunk]);
    isKnown = isLast || beginning.length >= BEGINNING_BYTES;
    if (!isKnown) return new Uint8Array();
    if (isGraph(beginning)) splitter = openSplitter();
    return splitter?.push(beginning) ?? beginning;
  }

  for await (const chunk of chunks) {
    const made = read(chunk, false);
    if (made.length > 0) yield made;
  }
  const rest = join([read(new Uint8Array(), true), splitter?.finish() ?? new Uint8Array()]);
  if (rest.length > 0) yield rest;
}

function isGraph(bytes: Uint8Array): boolean {
  return GRAPH.test(String.fromCodePoint(...bytes.subarray(0, BEGINNING_BYTES)));
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return first;
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}

const [NEWLINE, SPACE, TAB, RETURN] = [10, 32, 9, 13] as const;
const [QUOTE, BACKSLASH, COMMA, COLON] = [34, 92, 44, 58] as const;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [123, 125, 91, 93] as const;
const BYTE_ORDER_MARK = new Set([0xef, 0xbb, 0xbf]);
const KEY_CHARS_MAX = 80;

/** Goes through the bytes once. A record is cut out by its brackets and quotes, and not looked into. */
function openSplitter() {
  const frame = openFrame();
  /** Of the file, and of the lines that are made: a record goes on the line that it begins on. */
  const lines = { read: 1, made: 1 };
  let isOnLine = false;
  let record: RecordCut | undefined;

  function beginRecord(byte: number): Uint8Array {
    const newlines = Math.max(lines.read - lines.made, isOnLine ? 1 : 0);
    lines.made += newlines;
    isOnLine = true;
    record = openRecordCut();
    const type = byte === OPEN_OBJECT ? `{"type":${JSON.stringify(frame.recordType())}` : '';
    return new TextEncoder().encode('\n'.repeat(newlines) + type);
  }

  return {
    /** What a chunk adds to the lines. */
    push(chunk: Uint8Array): Uint8Array {
      const parts: Uint8Array[] = [];
      for (let at = 0; at < chunk.length;) {
        const byte = chunk[at] ?? 0;
        if (record === undefined) {
          if (frame.step(byte, lines.read) === 'record') parts.push(beginRecord(byte));
          else at += 1;
          if (byte === NEWLINE) lines.read += 1;
          continue;
        }
        const cut = record.take(chunk, at);
        parts.push(...cut.parts);
        lines.read += cut.newlines;
        at = cut.end;
        if (cut.isDone) record = undefined;
      }
      return join(parts);
    },

    /** Throws for a graph without its end. */
    finish(): Uint8Array {
      if (record !== undefined || !frame.isComplete()) {
        throw faultyFile('The graph has no end: the file is cut off.');
      }
      return isOnLine ? new Uint8Array([NEWLINE]) : new Uint8Array();
    },
  };
}

/** What comes next in the frame around the records. */
type Place =
  | 'graph'
  | 'key'
  | 'in key'
  | 'colon'
  | 'list'
  | 'first record'
  | 'record'
  | 'next record'
  | 'next key'
  | 'nothing';

/** What may come at a place, and what the place after it is. A record may come at two of them. */
const STEPS: Readonly<Record<Exclude<Place, 'in key'>, Readonly<Record<number, Place>>>> = {
  graph: { [OPEN_OBJECT]: 'key' },
  key: { [QUOTE]: 'in key' },
  colon: { [COLON]: 'list' },
  list: { [OPEN_LIST]: 'first record' },
  'first record': { [CLOSE_LIST]: 'next key' },
  record: {},
  'next record': { [COMMA]: 'record', [CLOSE_LIST]: 'next key' },
  'next key': { [COMMA]: 'key', [CLOSE_OBJECT]: 'nothing' },
  nothing: {},
};

function openFrame() {
  let place: Place = 'graph';
  let key = '';

  /** One byte outside of the records, or the first one of a record, which it then does not take. */
  function step(byte: number, line: number): 'record' | 'frame' {
    if (place === 'in key') {
      if (byte !== QUOTE) key = (key + String.fromCodePoint(byte)).slice(0, KEY_CHARS_MAX);
      else if (Object.hasOwn(LISTS, key)) place = 'colon';
      else throw faultyLine(line, `a graph has entities and relations, and no ${quote(key)}`);
      return 'frame';
    }
    if (byte === SPACE || byte === TAB || byte === RETURN || byte === NEWLINE) return 'frame';
    const next = STEPS[place][byte];
    if (next === undefined) {
      if (place === 'graph' && BYTE_ORDER_MARK.has(byte)) return 'frame';
      const isRecord = place === 'first record' || place === 'record';
      if (!isRecord || byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        const found = quote(String.fromCodePoint(byte));
        throw faultyLine(line, `the JSON of the graph is broken: ${found} cannot be here`);
      }
      place = 'next record';
      return 'record';
    }
    if (next === 'in key') key = '';
    place = next;
    return 'frame';
  }

  return {
    step,
    recordType: () => LISTS[key],
    isComplete: () => place === 'nothing',
  };
}

/** One record, from its first byte on. */
type RecordCut = ReturnType<typeof openRecordCut>;

/** Of an object the first bracket is left out: it has been written, with the type behind it. */
function openRecordCut() {
  let place: 'begin' | 'first field' | 'inside' = 'begin';
  let depth = 0;
  let isText = false;
  let isEscaped = false;

  /** Whether the record ends before the byte, with it, or goes on. */
  function step(byte: number): 'before' | 'with' | 'on' {
    if (isText) {
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) isText = false;
      return isText || depth > 0 ? 'on' : 'with';
    }
    if (byte === QUOTE) isText = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (depth === 0) return 'before';
      depth -= 1;
      return depth === 0 ? 'with' : 'on';
    }
    return depth === 0 && byte === COMMA ? 'before' : 'on';
  }

  return {
    /** What belongs to the record from `start` on. Line ends become tabs, which no text may hold either. */
    take(chunk: Uint8Array, start: number) {
      const parts: Uint8Array[] = [];
      let newlines = 0;
      let from = start;
      const put = (to: number, ...more: number[]) => {
        if (to > from) parts.push(chunk.subarray(from, to));
        if (more.length > 0) parts.push(new Uint8Array(more));
      };
      for (let at = start; at < chunk.length; at += 1) {
        const byte = chunk[at] ?? 0;
        if (byte === NEWLINE || byte === RETURN) {
          put(at, TAB);
          from = at + 1;
          if (byte === NEWLINE) newlines += 1;
          continue;
        }
        if (place === 'begin') {
          place = byte === OPEN_OBJECT ? 'first field' : 'inside';
          if (byte === OPEN_OBJECT) from = at + 1;
        } else if (place === 'first field' && byte !== SPACE && byte !== TAB) {
          if (byte !== CLOSE_OBJECT) parts.push(new Uint8Array([COMMA]));
          place = 'inside';
        }
        const end = step(byte);
        if (end === 'on') continue;
        const to = end === 'with' ? at + 1 : at;
        put(to);
        return { parts, newlines, end: to, isDone: true };
      }
      put(chunk.length);
      return { parts, newlines, end: chunk.length, isDone: false };
    },
  };
}
