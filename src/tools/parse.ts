/** Turns arguments into typed input, or into faults that say what each argument should have been. */
import type * as z from 'zod';
import { MemoryError, quote, type Fault } from '#errors.ts';
import { countChars, nameType } from '#graph/rules/text-rules.ts';
import type { JsonSchema } from './json-schema.ts';

/** Arguments that were read, and what is known of how they should be. */
interface Given {
  readonly args: Record<string, unknown>;
  /** As in `type as entityType`. */
  readonly renamed: readonly string[];
  readonly schema: JsonSchema;
}

/** Throws `invalid_input` with a fault for every argument that is wrong. */
export function parseInput<Schema extends z.ZodType>(
  input: Schema,
  given: Given,
): z.output<Schema> {
  const parsed = input.safeParse(given.args);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => toFault(issue, given));
  const [first] = faults;
  const message =
    faults.length === 1 && first
      ? `${first.path}: ${first.problem}`
      : `${faults.length} arguments are wrong; nothing was changed.`;
  const unknown = findUnknownFields(given.schema, given.args);
  const advice = [
    ...(faults.length === 1 && first?.suggestion ? [first.suggestion] : []),
    ...(given.renamed.length > 0 ? [`Read ${namePaths(given.renamed)}.`] : []),
    ...(unknown.length > 0 ? [`Unknown arguments: ${namePaths(unknown)}.`] : []),
  ];
  throw new MemoryError('invalid_input', message, {
    faults,
    hint: advice.length > 0 ? advice.join(' ') : undefined,
  });
}

const PATHS_SHOWN_MAX = 10;
const PATH_CHARS_MAX = 80;

/** Some of the paths, for a sentence: a caller may have made them as long as it likes. */
export function namePaths(paths: readonly string[]): string {
  return paths
    .slice(0, PATHS_SHOWN_MAX)
    .map((path) => (path.length > PATH_CHARS_MAX ? `${path.slice(0, PATH_CHARS_MAX)}…` : path))
    .join(', ');
}

/** Paths of fields that the schema does not have, such as `entities[0].obsevations`. */
export function findUnknownFields(schema: JsonSchema, value: unknown, path = ''): string[] {
  if (Array.isArray(value)) {
    const items = asSchema(schema['items']);
    return items ? value.flatMap((item, i) => findUnknownFields(items, item, `${path}[${i}]`)) : [];
  }
  const properties = asSchema(schema['properties']);
  if (typeof value !== 'object' || value === null || properties === undefined) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = path === '' ? key : `${path}.${key}`;
    const known = Object.hasOwn(properties, key) ? asSchema(properties[key]) : undefined;
    return known ? findUnknownFields(known, inner, at) : [at];
  });
}

function toFault(issue: z.core.$ZodIssue, given: Given): Fault {
  const value = valueAt(given.args, issue.path);
  return {
    path: formatPath(issue.path),
    problem: describeIssue(issue, value),
    suggestion: advise(issue, value, given.schema),
  };
}

/** What to write instead; undefined where the problem says it. */
function advise(
  { code, path }: z.core.$ZodIssue,
  value: unknown,
  schema: JsonSchema,
): string | undefined {
  if (isOptional(schema, path)) return 'Correct it, or leave it out.';
  if (value !== undefined && code !== 'invalid_type') return undefined;
  const form = nameForm(schemaAt(schema, path));
  return form === undefined ? undefined : `Give it as ${form}.`;
}

/** Such as `a list, each item an object with from, to`. */
function nameForm({ type, items, required }: JsonSchema = {}): string | undefined {
  if (type === 'array') return `a list, each item ${nameForm(asSchema(items)) ?? 'a value'}`;
  const fields = (required ?? []) as readonly string[];
  if (type === 'object' && fields.length > 0) return `an object with ${fields.join(', ')}`;
  return EXPECTED[type === 'integer' ? 'int' : String(type)];
}

function isOptional(schema: JsonSchema, path: readonly PropertyKey[]): boolean {
  const name = path.at(-1);
  if (typeof name !== 'string') return false;
  const holder = schemaAt(schema, path.slice(0, -1));
  const required = (holder?.['required'] ?? []) as readonly string[];
  return asSchema(holder?.['properties'])?.[name] !== undefined && !required.includes(name);
}

function describeIssue(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return 'Missing.';
  switch (issue.code) {
    case 'invalid_type':
      return `Expected ${EXPECTED[issue.expected] ?? issue.expected}, got ${nameType(value)}.`;
    case 'too_big':
      return `${quantify(value)} At most ${issue.maximum}${unitOf(value)}.`;
    case 'too_small':
      return `${quantify(value)} At least ${issue.minimum}${unitOf(value)}.`;
    case 'invalid_value':
      return `${quote(value)} is none of: ${issue.values.map(String).join(', ')}.`;
    case 'invalid_union':
      return `${quote(value)} fits none of the forms that are accepted here.`;
    default:
      return `${quote(value)} ${issue.message}.`;
  }
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function quantify(value: unknown): string {
  if (typeof value === 'string') return `Text of ${countChars(value)} chars.`;
  if (Array.isArray(value)) return `List of ${value.length} items.`;
  return `${quote(value)} is out of range.`;
}

function unitOf(value: unknown): string {
  if (typeof value === 'string') return ' chars';
  return Array.isArray(value) ? ' items' : '';
}

function schemaAt(schema: JsonSchema, path: readonly PropertyKey[]): JsonSchema | undefined {
  let part: JsonSchema | undefined = schema;
  for (const key of path) {
    part =
      typeof key === 'number'
        ? asSchema(part?.['items'])
        : asSchema(asSchema(part?.['properties'])?.[String(key)]);
  }
  return part;
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  let value = raw;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function formatPath(path: readonly PropertyKey[]): string {
  const text = path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('');
  return text.replace(/^\./, '') || 'arguments';
}

function asSchema(value: unknown): JsonSchema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonSchema)
    : undefined;
}
