/** Reads JSON Schemas as the catalog has them: every field with its path, its type and its limits. */
import type { JsonSchema } from '#tools/json-schema.ts';

/** A schema inside a schema: a field of an object, the items of a list, or a form of a union. */
export interface SchemaNode {
  /** Such as `entities[].relations[].importance`; a union's forms share the path of the union. */
  readonly path: string;
  readonly schema: JsonSchema;
  /** False for items and forms: they are described by the field that holds them. */
  readonly isField: boolean;
  readonly isRequired: boolean;
}

/** Everything below `schema`, in the order of the schema, each field before what it holds. */
export function listNodes(schema: JsonSchema, path = ''): SchemaNode[] {
  return [...listFields(schema, path), ...listItems(schema, path), ...listForms(schema, path)];
}

function listFields(schema: JsonSchema, path: string): SchemaNode[] {
  const required = (schema['required'] ?? []) as string[];
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  return Object.entries(properties).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const node = { path: at, schema: field, isField: true, isRequired: required.includes(name) };
    return [node, ...listNodes(field, at)];
  });
}

function listItems({ items, additionalProperties }: JsonSchema, path: string): SchemaNode[] {
  return [
    ...(isSchema(items) ? listPart(items, `${path}[]`) : []),
    ...(isSchema(additionalProperties) ? listPart(additionalProperties, `${path}.*`) : []),
  ];
}

function listForms(schema: JsonSchema, path: string): SchemaNode[] {
  return formsOf(schema).flatMap((form) => listPart(form, path));
}

function listPart(schema: JsonSchema, path: string): SchemaNode[] {
  return [{ path, schema, isField: false, isRequired: true }, ...listNodes(schema, path)];
}

/** Such as `string`, `"brief" or "full"`, `(string or object)[]`. */
export function describeType(schema: JsonSchema): string {
  const { const: constant, enum: values, type, items } = schema;
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(values)) return joinTypes(values.map((value) => JSON.stringify(value)));
  const forms = formsOf(schema);
  if (forms.length > 0) return joinTypes(forms.map(describeType));
  if (Array.isArray(type)) return joinTypes(type.map(String));
  if (type !== 'array') return typeof type === 'string' ? type : 'any';
  const item = isSchema(items) ? describeType(items) : 'any';
  return item.includes(' or ') ? `(${item})[]` : `${item}[]`;
}

/** Such as `1 to 100 items, each 5 to 150 characters`; empty where there is none. */
export function describeLimits(schema: JsonSchema): string {
  const { items } = schema;
  const each = isSchema(items) ? describeLimits(items) : '';
  const limits = [
    describeRange(schema['minItems'], schema['maxItems'], ' items'),
    each === '' ? '' : `each ${each}`,
    describeRange(schema['minLength'], schema['maxLength'], ' characters'),
    describeRange(schema['minimum'], schema['maximum'], ''),
    describeRange(schema['exclusiveMinimum'], schema['exclusiveMaximum'], ', both excluded'),
    ...formsOf(schema).map(describeLimits),
  ];
  return [...new Set(limits)].filter((limit) => limit !== '').join(', ');
}

/** A whole number without bounds is listed with those of JavaScript, which say nothing. */
function describeRange(min: unknown, max: unknown, unit: string): string {
  const from = typeof min === 'number' && min > Number.MIN_SAFE_INTEGER ? min : undefined;
  const to = typeof max === 'number' && max < Number.MAX_SAFE_INTEGER ? max : undefined;
  if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}`;
  if (to !== undefined) return `at most ${to}${unit}`;
  return from === undefined ? '' : `at least ${from}${unit}`;
}

function joinTypes(types: readonly string[]): string {
  return [...new Set(types)].join(' or ');
}

function formsOf({ anyOf, oneOf, allOf }: JsonSchema): JsonSchema[] {
  return [anyOf, oneOf, allOf].flatMap((forms) => (Array.isArray(forms) ? forms : []));
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
