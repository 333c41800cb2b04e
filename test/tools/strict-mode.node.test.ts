/**
 * Clients of OpenAI convert the schemas of tools to its strict mode: every field is required, an optional one may
 * be null, no object is open, and only some keywords are known. What cannot be converted is called without it.
 */
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '#limits.ts';
import { TOOLSETS } from '#tools/catalog.ts';
import type { Tool } from '#tools/define.ts';
import type { JsonSchema } from '#tools/json-schema.ts';
import { listTool, type SchemaForm } from '#tools/listing.ts';

const TOOLS = [...new Set(TOOLSETS.flatMap(({ tools }) => tools))];

const FORMS = ['full', 'open'] as const satisfies readonly SchemaForm[];

/** Those of the documentation of structured outputs, and `default`, which the converters of its SDKs keep. */
const KEYWORDS = new Set(
  [
    'type title description default enum const anyOf',
    'properties required additionalProperties items minItems maxItems',
    'minLength maxLength pattern format',
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
  ].flatMap((line) => line.split(' ')),
);

const LEVELS_MAX = 10;

/** Optional, and any JSON object: strict mode has no form for that, so that there it is null or empty. */
const OPEN_OBJECTS = [
  'create_node.metadata: open',
  'update_node.metadata: open',
  'create_triplet.metadata: open',
  'create_relation.properties: open',
];

test.each(FORMS)('all schemas of the form %s convert to strict mode', (form) => {
  for (const isBound of [true, false]) {
    const faults = TOOLS.flatMap((tool) =>
      findFaults(inputOf(tool, form, isBound), tool.name, { level: 1, isOptional: false }),
    );

    expect(faults).toEqual(OPEN_OBJECTS);
  }
});

test('the check finds what strict mode refuses', () => {
  const faultsIn = (field: JsonSchema) =>
    findFaults({ type: 'object', properties: { a: field } }, 't', { level: 1, isOptional: false });
  const optional = { type: 'object', properties: { b: { type: 'string' } } };

  expect(faultsIn({ type: 'array', items: { type: 'string' }, uniqueItems: true })).toEqual([
    't.a: uniqueItems',
  ]);
  expect(faultsIn({ description: 'Anything.' })).toEqual(['t.a: no type']);
  expect(faultsIn({ type: 'object', properties: {} })).toEqual(['t.a: open']);
  expect(faultsIn({ type: 'array' })).toEqual(['t.a: no items']);
  expect(faultsIn({ anyOf: [{ type: 'string' }, optional] })).toEqual(['t.a: optional in a union']);
});

test.each(FORMS)(
  'a call in strict mode, with null for what it leaves out, is the same call: %s',
  (form) => {
    for (const tool of TOOLS) {
      const { input } = tool.example;
      const strict = fillWithNulls(inputOf(tool, form, true), input);

      expect(tool.read(strict as Record<string, unknown>).args).toEqual(tool.read(input).args);
    }
  },
);

function inputOf(tool: Tool, form: SchemaForm, isBound: boolean): JsonSchema {
  return listTool(tool, { limits: DEFAULT_LIMITS, isBound, form }).inputSchema;
}

interface Place {
  readonly level: number;
  readonly isOptional: boolean;
}

function findFaults(schema: JsonSchema, path: string, { level, isOptional }: Place): string[] {
  const { type, anyOf, items } = schema;
  const branches = (anyOf ?? []) as JsonSchema[];
  const properties = schema['properties'] as Record<string, JsonSchema> | undefined;
  const required = (schema['required'] ?? []) as string[];
  const isOpen =
    type === 'object' &&
    Object.keys(properties ?? {}).length === 0 &&
    schema['additionalProperties'] !== false;
  return [
    ...Object.keys(schema)
      .filter((keyword) => !KEYWORDS.has(keyword))
      .map((keyword) => `${path}: ${keyword}`),
    ...(type === undefined && anyOf === undefined ? [`${path}: no type`] : []),
    ...(type === 'array' && items === undefined ? [`${path}: no items`] : []),
    ...(isOpen ? [`${path}: ${isOptional ? 'open' : 'open, and required'}`] : []),
    ...(level > LEVELS_MAX ? [`${path}: too deep`] : []),
    ...Object.entries(properties ?? {}).flatMap(([name, field]) =>
      findFaults(field, `${path}.${name}`, {
        level: level + 1,
        isOptional: !required.includes(name),
      }),
    ),
    ...(items === undefined
      ? []
      : findFaults(items as JsonSchema, `${path}[]`, { level: level + 1, isOptional: false })),
    ...branches.flatMap((branch) => [
      ...(hasOptional(branch) ? [`${path}: optional in a union`] : []),
      ...findFaults(branch, path, { level, isOptional: false }),
    ]),
  ];
}

/** Which form of a union a null was put into, a client cannot tell. */
function hasOptional({ properties = {}, required = [] }: JsonSchema): boolean {
  return Object.keys(properties as object).length > (required as string[]).length;
}

/** As a model must send it: every field that there is. */
function fillWithNulls(schema: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => fillWithNulls(schema['items'] as JsonSchema, item));
  }
  const fields = schema['properties'] as Record<string, JsonSchema> | undefined;
  if (typeof value !== 'object' || value === null || fields === undefined) return value;
  const given = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      given[name] === undefined ? null : fillWithNulls(field, given[name]),
    ]),
  );
}
