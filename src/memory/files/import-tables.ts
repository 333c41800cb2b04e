/**
 * Tables of numbers for the plan of an import, which has a row for each record of a file: in typed
 * arrays a row takes a tenth of what a `Map` of objects takes, and nothing is left for the collector to visit.
 */

/** 64 bits that identify a row: an id itself, or the digest of a text. */
export interface Key {
  readonly high: number;
  readonly low: number;
}

/** Of a whole number up to 2^53. */
export function keyOfNumber(value: number): Key {
  return { high: Math.floor(value / 2 ** 32), low: value >>> 0 };
}

/**
 * A digest (cyrb53 of bryc, public domain, with all of its 64 bits): of a million texts two have the same one
 * with a chance of one in 40 million. It guards against nobody.
 */
export function keyOfText(text: string): Key {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  const mixedHigh = mix(high, 0x85ebca6b) ^ mix(low, 0xc2b2ae35);
  const mixedLow = mix(low, 0x85ebca6b) ^ mix(mixedHigh, 0xc2b2ae35);
  return { high: mixedHigh >>> 0, low: mixedLow >>> 0 };
}

function mix(value: number, factor: number): number {
  return Math.imul(value ^ (value >>> 16), factor) ^ (value >>> 13);
}

type Numbers = Float64Array | Uint32Array | Uint8Array;

/** Numbers by row, from 0. */
export interface Column {
  get(row: number): number;
  set(row: number, value: number): void;
}

/** Rows of a block: growing by blocks, a table never copies itself. */
const BLOCK_BITS = 10;
const BLOCK_ROWS = 2 ** BLOCK_BITS;

function openColumn(make: (rows: number) => Numbers): Column {
  const blocks: Numbers[] = [];
  return {
    get: (row) => blocks[row >>> BLOCK_BITS]?.[row & (BLOCK_ROWS - 1)] ?? 0,
    set(row, value) {
      const index = row >>> BLOCK_BITS;
      while (blocks.length <= index) blocks.push(make(BLOCK_ROWS));
      const block = blocks[index];
      if (block !== undefined) block[row & (BLOCK_ROWS - 1)] = value;
    },
  };
}

/** Of whole numbers to 2^53, to 2^32 and to 255; 0 for what was not set. */
export const columns = {
  ids: (): Column => openColumn((rows) => new Float64Array(rows)),
  counts: (): Column => openColumn((rows) => new Uint32Array(rows)),
  flags: (): Column => openColumn((rows) => new Uint8Array(rows)),
};

/** The rows of keys, in the order in which they were added, from 0. */
export interface KeyIndex {
  readonly size: number;
  /** The row of a key; undefined for one that was not added. */
  find(key: Key): number | undefined;
  /** The row of a key, which is added where it is new. */
  add(key: Key): number;
}

const SLOTS_MIN = 1024;

/** Open addressing, at most half full: a slot has the row and 1, or 0. */
export function openKeyIndex(): KeyIndex {
  const high = columns.counts();
  const low = columns.counts();
  let slots = new Uint32Array(SLOTS_MIN);
  let size = 0;

  /** The slot that a key is in, or belongs in. */
  function slotOf(key: Key): number {
    const mask = slots.length - 1;
    let slot = (Math.imul(key.low, 0x9e3779b1) ^ key.high) & mask;
    for (; ; slot = (slot + 1) & mask) {
      const row = (slots[slot] ?? 0) - 1;
      if (row === -1 || (low.get(row) === key.low && high.get(row) === key.high)) return slot;
    }
  }

  function grow(): void {
    slots = new Uint32Array(slots.length * 2);
    for (let row = 0; row < size; row += 1) {
      slots[slotOf({ high: high.get(row), low: low.get(row) })] = row + 1;
    }
  }

  return {
    get size() {
      return size;
    },
    find(key) {
      const found = slots[slotOf(key)] ?? 0;
      return found === 0 ? undefined : found - 1;
    },
    add(key) {
      const slot = slotOf(key);
      const found = slots[slot] ?? 0;
      if (found > 0) return found - 1;
      const row = size;
      high.set(row, key.high);
      low.set(row, key.low);
      slots[slot] = row + 1;
      size += 1;
      if (size * 2 > slots.length) grow();
      return row;
    },
  };
}

/** A `Map` of whole numbers. */
export interface NumberMap extends ReadonlyNumberMap {
  set(key: number, value: number): void;
}

export interface ReadonlyNumberMap {
  readonly size: number;
  get(key: number): number | undefined;
  has(key: number): boolean;
}

export function openNumberMap(): NumberMap {
  const index = openKeyIndex();
  const values = columns.ids();
  return {
    get size() {
      return index.size;
    },
    get(key) {
      const row = index.find(keyOfNumber(key));
      return row === undefined ? undefined : values.get(row);
    },
    has: (key) => index.find(keyOfNumber(key)) !== undefined,
    set: (key, value) => values.set(index.add(keyOfNumber(key)), value),
  };
}

/** The lines of what a file may say once. */
export interface LineIndex {
  /** Notes the line of a key; the line that has noted it before, which stays. */
  claim(key: Key, line: number): number | undefined;
}

export function openLineIndex(): LineIndex {
  const index = openKeyIndex();
  const lines = columns.counts();
  return {
    claim(key, line) {
      const known = index.size;
      const row = index.add(key);
      if (row < known) return lines.get(row);
      lines.set(row, line);
      return undefined;
    },
  };
}
