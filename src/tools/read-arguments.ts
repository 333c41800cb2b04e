/**
 * Reads arguments as they are meant, before anything judges them: what is left empty is not given, and what was
 * written as another type is read as its own. One rule for every tool, which follows from the tool's schema.
 */
import { JSON_DEPTH_MAX } from '#limits.ts';
import { matchNearNames } from './near-names.ts';
import type { JsonSchema } from './json-schema.ts';

export interface ReadArguments {
  readonly args: Record<string, unknown>;
  /** Fields that came under another name, as in `type as entityType`. Each pair once. */
  readonly renamed: readonly string[];
}

/**
 * A key of a field's schema, never listed: an empty value of this field is a mistake and is left for its own
 * check, since to leave the field out would mean more than the caller may have wanted.
 */
export const KEEPS_EMPTY = 'keepsEmpty';

/** Never throws, and leaves what it cannot read as it is. Arguments that fit the schema stay as they are. */
export function readArguments(schema: JsonSchema, raw: Record<string, unknown>): ReadArguments {
  const renamed = new Set<string>();
  return { args: readFields(schema, raw, renamed), renamed: [...renamed] };
}

function readFields(
  schema: JsonSchema,
  given: Readonly<Record<string, unknown>>,
  renamed: Set<string>,
): Record<string, unknown> {
  const fields = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  // The caller's own object, which may have very many keys.
  if (Object.keys(fields).length === 0) return given;
  const required = new Set((schema['required'] ?? []) as string[]);
  const isLeftOut = (name: string, value: unknown) =>
    Object.hasOwn(fields, name) &&
    !required.has(name) &&
    isEmpty(value) &&
    (value === null || fields[name]?.[KEEPS_EMPTY] !== true);
  const entries = Object.entries(given).filter(([name, value]) => !isLeftOut(name, value));
  const near = matchNearNames(
    entries.map(([name]) => name),
    Object.keys(fields),
  );
  const read = entries.flatMap(([name, value]) => {
    const field = near.get(name) ?? name;
    const known = Object.hasOwn(fields, field) ? fields[field] : undefined;
    const meant = known === undefined ? value : readValue(known, value, renamed);
    if (isLeftOut(field, meant)) return [];
    if (field !== name) renamed.add(`${name} as ${field}`);
    return [[field, meant] as const];
  });
  return Object.fromEntries(read);
}

function isEmpty(value: unknown): boolean {
  return value === '' || value === null || (Array.isArray(value) && value.length === 0);
}

function readValue(schema: JsonSchema, given: unknown, renamed: Set<string>): unknown {
  const value = convert(schema, given);
  const fitting = branchesOf(schema).find((branch) => isOfType(branch, value));
  if (fitting === undefined) return value;
  if (Array.isArray(value)) {
    const items = fitting['items'] as JsonSchema | undefined;
    // One that is too long is refused as it is: to read each item of it could take seconds.
    const isTooLong = value.length > Number(fitting['maxItems'] ?? Infinity);
    return items === undefined || isTooLong
      ? value
      : value.map((item) => readValue(items, item, renamed));
  }
  return isObject(value) ? readFields(fitting, value, renamed) : value;
}

/** The value in the first form that the schema has for it; as it is when it has one already, or none. */
function convert(schema: JsonSchema, value: unknown): unknown {
  const branches = branchesOf(schema);
  if (branches.some((branch) => isOfType(branch, value))) return value;
  for (const branch of branches) {
    const converted = convertTo(branch, value);
    if (converted !== undefined) return converted;
  }
  return value;
}

function branchesOf(schema: JsonSchema): readonly JsonSchema[] {
  return (schema['anyOf'] as JsonSchema[] | undefined) ?? [schema];
}

/** Undefined for what cannot be read as this type. */
function convertTo(schema: JsonSchema, value: unknown): unknown {
  switch (schema['type']) {
    case 'integer':
    case 'number':
      return typeof value === 'string' && NUMBER.test(value.trim()) ? Number(value) : undefined;
    case 'boolean':
      return typeof value === 'string' ? BOOLEANS.get(value.trim().toLowerCase()) : undefined;
    case 'object':
      return parseJson(value, isObject);
    case 'array':
      return toList(schema['items'] as JsonSchema | undefined, value);
    default:
      return undefined;
  }
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** A list as JSON text, or a list of one. */
function toList(items: JsonSchema | undefined, value: unknown): unknown[] | undefined {
  const list = parseJson(value, Array.isArray);
  if (list !== undefined) return list;
  if (items === undefined || isEmpty(value) || value === undefined) return undefined;
  const item = convert(items, value);
  return branchesOf(items).some((branch) => isOfType(branch, item)) ? [item] : undefined;
}

/** What a text holds as JSON, when it is of the wanted kind. */
function parseJson<Value>(
  text: unknown,
  isWanted: (value: unknown) => value is Value,
): Value | undefined {
  if (typeof text !== 'string' || !/^\s*[[{]/.test(text) || isTooDeep(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isWanted(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A body is held to the same depth; brackets within its strings are not seen there. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length && depth <= JSON_DEPTH_MAX; at += 1) {
    const mark = text.charAt(at);
    if (isInString && mark === '\\') at += 1;
    else if (mark === '"') isInString = !isInString;
    else if (!isInString && (mark === '[' || mark === '{')) depth += 1;
    else if (!isInString && (mark === ']' || mark === '}')) depth -= 1;
  }
  return depth > JSON_DEPTH_MAX;
}

function isOfType({ type }: JsonSchema, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return typeof value === 'number';
  return type === undefined || typeof value === type;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
