/**
 * Inputs that a tool should take, and inputs that are almost those: made from the tool's own schema
 * and example, then damaged in one to four places. The same seed makes the same inputs.
 */
import type { Tool } from '#tools/define.ts';
import type { JsonSchema } from '#tools/json-schema.ts';

export interface HostileInputs {
  /** The arguments of one call as JSON: text, since some have keys that no literal can have. */
  argumentsFor(tool: Pick<Tool, 'inputSchema' | 'example'>): string;
  pick<Item>(items: readonly Item[]): Item;
}

export function hostileInputs(seed: number): HostileInputs {
  const random = mulberry32(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const chance = (share: number) => random() < share;

  function pick<Item>(items: readonly Item[]): Item {
    const item = items[below(items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }

  /** What the schema lets through, as far as a schema tells. */
  function valid(schema: JsonSchema, depth = 0): unknown {
    const forms = (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined;
    if (forms !== undefined) return valid(pick(forms), depth);
    if ('const' in schema) return schema['const'];
    if (Array.isArray(schema['enum'])) return pick(schema['enum'] as unknown[]);
    const type = Array.isArray(schema['type']) ? pick(schema['type']) : schema['type'];
    switch (type) {
      case 'object':
        return validObject(schema, depth);
      case 'array':
        return validList(schema, depth);
      case 'string':
        return pick(chance(0.1) ? SECRETS : chance(0.8) ? ORDINARY : STRINGS);
      case 'integer':
      case 'number':
        return validNumber(schema, type);
      case 'boolean':
        return chance(0.5);
      default:
        return null;
    }
  }

  function validObject(schema: JsonSchema, depth: number): Record<string, unknown> {
    const required = (schema['required'] ?? []) as string[];
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
    const kept = properties.filter(([name]) => required.includes(name) || chance(0.5));
    return Object.fromEntries(kept.map(([name, field]) => [name, valid(field, depth + 1)]));
  }

  function validList({ items, minItems = 0, maxItems = 4 }: JsonSchema, depth: number): unknown[] {
    const least = Number(minItems);
    const most = Math.min(Number(maxItems), Math.max(least, 4 - depth));
    const length = least + below(most - least + 1);
    return Array.from({ length }, () => valid((items ?? {}) as JsonSchema, depth + 1));
  }

  function validNumber(schema: JsonSchema, type: string): number {
    const least = Number(schema['minimum'] ?? schema['exclusiveMinimum'] ?? 0);
    const most = Math.min(Number(schema['maximum'] ?? 20), least + 20);
    return type === 'integer' ? least + below(most - least + 1) : least + random() * (most - least);
  }

  /** Another thing in the place of some part of a value. */
  function damage(value: unknown): unknown {
    if (chance(0.25) || typeof value !== 'object' || value === null) return damageWhole(value);
    if (Array.isArray(value)) return damageList(value);
    return damageObject(value as Record<string, unknown>);
  }

  function damageWhole(value: unknown): unknown {
    if (typeof value === 'string' && chance(0.6)) return damageString(value);
    if (typeof value === 'number' && chance(0.6)) return pick(NUMBERS);
    return pick<() => unknown>([
      () => pick(STRINGS),
      () => pick(NUMBERS),
      () => pick([null, true, false, [], {}, [[]], [null], [{}]]),
      () => nest(pick([3, 50, 1_000])),
      () => [value],
      () => ({ value }),
      () => JSON.stringify(value),
    ])();
  }

  function damageString(text: string): string {
    const at = below(text.length + 1);
    return pick([
      () => text.slice(0, at) + pick(STRINGS) + text.slice(at),
      () => text.repeat(pick([2, 50, 2_000])),
      () => text.toUpperCase(),
      () => ` ${text}\u3000`,
      () => text.normalize('NFD'),
      () => text.slice(0, at),
    ])();
  }

  function damageList(list: readonly unknown[]): unknown[] {
    const at = below(list.length);
    return pick<() => unknown[]>([
      () => list.map((item, index) => (index === at ? damage(item) : item)),
      () => [...list, ...list],
      () => Array.from({ length: pick([101, 1_001]) }, () => list[at] ?? null),
      () => [],
      () => [...list, pick(STRINGS)],
    ])();
  }

  function damageObject(object: Record<string, unknown>): unknown {
    const names = Object.keys(object);
    if (names.length === 0 || chance(0.15)) {
      return withOwn(object, pick(KEYS), chance(0.5) ? { admin: true } : pick(STRINGS));
    }
    const name = pick(names);
    const rest = Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
    if (chance(0.15)) return rest;
    if (chance(0.1)) return { ...rest, [name.toUpperCase()]: object[name] };
    return { ...rest, [name]: damage(object[name]) };
  }

  return {
    pick,
    argumentsFor({ inputSchema, example }) {
      let input: unknown = chance(0.4) ? structuredClone(example.input) : valid(inputSchema);
      const wounds = pick([0, 0, 1, 1, 1, 2, 4]);
      for (let wound = 0; wound < wounds; wound += 1) input = damage(input);
      // Arguments that are no object at all belong to the tests of the protocol.
      return JSON.stringify(isPlainObject(input) ? input : { input }).replace(HUGE, '1e400');
    },
  };
}

/** Assigning `__proto__` would change the prototype; JSON has it as a key like any other. */
function withOwn(object: object, key: string, value: unknown): object {
  return Object.defineProperty({ ...object }, key, { value, enumerable: true });
}

function nest(depth: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Tommy Ettinger's mulberry32: small, seeded, and even enough for this. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Stands in much of what is stored, and must stand in no log. */
export const SECRET = 'Quetzalcoatl-4711';
const SECRETS = [SECRET, `Knows ${SECRET}`, `'${SECRET}" \0`, `${SECRET}. `.repeat(600)];

/** Few, so that calls meet what earlier calls have stored. */
const ORDINARY = [
  ['Ada', 'Grace', 'Hub', 'Atlas Project', 'Café', '北京', 'Alice', 'Bob', 'User'],
  ['Person', 'Project', 'knows', 'works_on', 'belongs to', 'feature', 'session-1'],
  ['Likes tea', 'Lives in Paris', 'Works on the Atlas project', 'Moved to Austin last month'],
  ['ent_1', 'ent_2', 'ent_5', 'obs_3', 'obs_8', 'mem_12', 'turn_4', 'sum_6', '1', '7'],
  ['2026-01-20T10:00:00Z', 'where does Ada live?', 'tea', '{}', 'default', 'owner-2'],
].flat();

/** What breaks parsers, databases, searches, logs and eyes. */
const STRINGS = [
  ['', ' ', '\0', 'a\0b', '\n', '\r\n', '\t', '\u2028', '\u00a0', '\ufeff', '\u200b', '\u007f'],
  ['\ud800', '\udfff', 'a\ud83d', '\udc00\ud800', '\ufffe', '\uffff', '\u{10ffff}'],
  [
    '\u202eevil\u202c',
    '\u2066x\u2069',
    '\u061c',
    '\u200f',
    'e\u0301',
    '\u1100\u1161',
    'ﬁ',
    'ß',
    'İ',
    'ı',
  ],
  [
    "'; DROP TABLE node; --",
    '" OR 1=1 --',
    "x' UNION ALL VALUES (1)",
    '%',
    '_',
    '\\',
    '?1',
    ':a',
    '@a',
  ],
  [
    '"',
    '""',
    '"a',
    'a AND',
    'NEAR(a b)',
    'title:x',
    'a*',
    '^a',
    '(',
    '{a}',
    '-a',
    '+',
    'NOT',
    'a OR',
    "''",
    '""""',
  ],
  [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'null',
    'undefined',
    'NaN',
  ],
  [
    '../../etc/passwd',
    '/',
    '..',
    '%2e%2e%2f',
    'file:///',
    'http://localhost/',
    '<script>alert(1)</script>',
  ],
  [
    'ent_0',
    'ent_-1',
    'ent_1e3',
    'ent_99999999999999999999',
    'obs_',
    'mem_0x1',
    'ENT_1',
    'ent_1 ',
    'ent_１',
  ],
  ['9999-99-99', '2026-02-30', '+275760-09-13T00:00:00.001Z', '-1', '1e400', '0x10', '١٢'],
  [
    '👩‍👩‍👧‍👦'.repeat(30),
    'a'.repeat(151),
    'a'.repeat(10_001),
    'é'.repeat(5_000),
    'a. '.repeat(100),
    'x '.repeat(2_000),
  ],
  ['z'.repeat(120_000), '𝒳'.repeat(40_000)],
].flat();

const NUMBERS = [
  [0, -0, -1, 1, 2, 0.5, 1.5, -0.1, 1.000_000_1, 16, 17, 100, 101, 1_000, 1_001, 100_001],
  [2 ** 31, 2 ** 32, 2 ** 53, 2 ** 53 + 2, 2 ** 63, -(2 ** 63), 1e21, 1e308, -1e308, 5e-324],
  ['a huge number'],
].flat();

/** A text that is sent as a number beyond all that JSON's parser knows, where it is no key. */
const HUGE = /"a huge number"(?!:)/g;

const KEYS = [
  '__proto__',
  'constructor',
  'toString',
  '',
  ' ',
  'threadId',
  'owner_id',
  'a'.repeat(300),
  '\ud800',
  '$where',
];

/** Words that come from inside: of SQLite, of the engine that runs us, of our own bugs. */
const INSIDES =
  /SQLITE_|SqliteError|Internal error|Assertion failed|no such (?:table|column|function)|syntax error near|fts5:|(?:UNIQUE|CHECK|FOREIGN KEY|NOT NULL) constraint|\\n\s+at \S+ \(|Cannot read propert|is not a function|ZodError|RangeError|TypeError|out of memory/;

/** What an answer must not be, whatever was asked; undefined for a decent one. */
export function findOffence(status: number, body: string): string | undefined {
  if (status >= 500) return `status ${status}`;
  const inside = INSIDES.exec(body)?.[0];
  return inside === undefined ? undefined : `a word from inside: ${inside}`;
}
