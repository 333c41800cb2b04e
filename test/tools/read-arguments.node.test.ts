/** Arguments that are not quite right are read as they are meant, by the schema of any tool alone. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TOOLSETS } from '#tools/catalog.ts';
import type { Tool } from '#tools/define.ts';
import type { JsonSchema } from '#tools/json-schema.ts';
import { matchNearNames } from '#tools/near-names.ts';
import { readArguments } from '#tools/read-arguments.ts';

type Fields = Record<string, unknown>;

const TOOLS = [...new Set(TOOLSETS.flatMap(({ tools }) => tools))];

/** Every call that the documentation shows. */
const CALLS = TOOLS.flatMap((tool) => [
  { tool, input: tool.example.input },
  ...(tool.example.given ?? []).map(({ tool: name, input }) => ({
    tool: TOOLS.find((one) => one.name === name) as Tool,
    input,
  })),
]);

/** Limits of what a call reaches: empty, they are a mistake. */
const KEPT = new Set(['owner_id', 'relation_type']);

const aCall = fc.constantFrom(...CALLS);
/** What is done to one value or name, chosen along the way. */
const choices = fc.infiniteStream(fc.nat());

test('what is right already stays as it is', () => {
  for (const { tool, input } of CALLS.filter(
    (call) => !JSON.stringify(call.input).includes('[]'),
  )) {
    expect(tool.read(input)).toEqual({ args: input, renamed: [] });
  }
});

test('numbers, lists and objects as text, lists of one, empty values and other spellings of names change nothing', () => {
  fc.assert(
    fc.property(aCall, choices, ({ tool, input }, stream) => {
      const distorted = distort(tool.inputSchema, input, stream) as Fields;

      expect(tool.read(distorted).args).toEqual(tool.read(input).args);
    }),
    { numRuns: 1_000 },
  );
});

test('anything at all is read without an error, and read twice it is the same', () => {
  const anything = fc.dictionary(
    fc.constantFrom('entities', 'names', 'query', 'limit', 'asOf', '__proto__', 'type', 'x'),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(fc.constantFrom(...TOOLS), anything, (tool, given) => {
      const { args } = tool.read(given);

      expect(tool.read(args).args).toEqual(args);
    }),
  );
});

test.each<[string, JsonSchema, Fields, Fields]>([
  ['a number as text', field({ type: 'integer' }), { a: ' 12 ' }, { a: 12 }],
  ['a share as text', field({ type: 'number' }), { a: '0.5' }, { a: 0.5 }],
  ['a word where a number is wanted', field({ type: 'number' }), { a: 'ten' }, { a: 'ten' }],
  ['hexadecimal', field({ type: 'number' }), { a: '0x10' }, { a: '0x10' }],
  ['a boolean as text', field({ type: 'boolean' }), { a: 'True' }, { a: true }],
  ['another word for true', field({ type: 'boolean' }), { a: 'yes' }, { a: 'yes' }],
  ['a number where text is wanted', field({ type: 'string' }), { a: 2026 }, { a: 2026 }],
  ['text that looks like a list', field({ type: 'string' }), { a: '["b"]' }, { a: '["b"]' }],
  ['a list as text', field(listOf('string')), { a: '["b", "c"]' }, { a: ['b', 'c'] }],
  [
    'text that only begins like a list',
    field(listOf('string')),
    { a: '[draft]' },
    { a: ['[draft]'] },
  ],
  ['one item for a list', field(listOf('string')), { a: 'b' }, { a: ['b'] }],
  ['what is no item', field(listOf('object')), { a: 'b' }, { a: 'b' }],
  ['an object as text for a list', field(listOf('object')), { a: '{"b": 1}' }, { a: [{ b: 1 }] }],
  ['nothing for a required field', required('a'), { a: '' }, { a: '' }],
  ['null for a required field', required('a'), { a: null }, { a: null }],
  ['what is not known', field({ type: 'string' }), { x: '' }, { x: '' }],
  ['a name of an object itself', field({ type: 'string' }), { constructor: 1 }, { constructor: 1 }],
])('%s is read so', (_, schema, given, expected) => {
  expect(readArguments(schema, given).args).toEqual(expected);
});

test.each([
  ['""', ''],
  ['null', null],
  ['[]', []],
])('%s for an optional field is the same as nothing, at any depth', (_, empty) => {
  const item = { type: 'object', properties: { b: { type: 'string' }, c: { type: 'number' } } };
  const schema = field({ type: 'array', items: item });

  expect(readArguments(schema, { a: [{ b: 'x', c: empty }] }).args).toEqual({ a: [{ b: 'x' }] });
  expect(readArguments(schema, { a: empty }).args).toEqual({});
});

test('JSON text is read as deep as a body may be, and deeper stays text', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}"]"${']'.repeat(depth)}`;
  const schema = field({ type: 'array', items: {} });

  expect(readArguments(schema, { a: nested(250) }).args['a']).toBeInstanceOf(Array);
  expect(readArguments(schema, { a: nested(251) }).args['a']).not.toEqual(JSON.parse(nested(251)));
});

test('an owner or a type that limits what is deleted is not taken as left out when it is empty', () => {
  const deleteRelation = TOOLS.find(({ name }) => name === 'delete_relation');
  const given = { from_id: 'ent_1', to_id: 'ent_2', owner_id: '', relation_type: '' };

  expect(deleteRelation?.read(given).args).toEqual(given);
});

test.each<[string[], string[], [string, string][]]>([
  [['type'], ['name', 'entityType'], [['type', 'entityType']]],
  [
    ['to', 'type'],
    ['targetEntity', 'relationType'],
    [
      ['to', 'targetEntity'],
      ['type', 'relationType'],
    ],
  ],
  [['name'], ['entityName', 'contents'], [['name', 'entityName']]],
  [['name'], ['name', 'entityName'], []],
  [['entity_type'], ['entityType'], [['entity_type', 'entityType']]],
  [
    ['ownerId', 'TTL-days'],
    ['owner_id', 'ttl_days'],
    [
      ['ownerId', 'owner_id'],
      ['TTL-days', 'ttl_days'],
    ],
  ],
  [['type'], ['entityType', 'relationType'], []],
  [['type', 'entity_type'], ['entityType'], []],
  [['type', 'entityType'], ['entityType'], []],
])('%j given for %j is read as %j', (given, fields, expected) => {
  expect([...matchNearNames(given, fields)]).toEqual(expected);
});

test('no tool has a field that could be taken for the thread', () => {
  const names = TOOLS.flatMap(({ inputSchema }) =>
    Object.keys(inputSchema['properties'] as Fields),
  );

  expect([...matchNearNames([...new Set(names)], ['threadId'])]).toEqual([]);
});

function field(schema: JsonSchema): JsonSchema {
  return { type: 'object', properties: { a: schema } };
}

function required(name: string): JsonSchema {
  return { ...field({ type: 'string' }), required: [name] };
}

function listOf(type: string): JsonSchema {
  return { type: 'array', items: { type } };
}

/** The value as a model may send it that does not keep to the schema. */
function distort(schema: JsonSchema, value: unknown, stream: fc.Stream<number>): unknown {
  const chance = () => stream.next().value as number;
  if (schema['anyOf'] !== undefined) return value;
  switch (schema['type']) {
    case 'integer':
    case 'number':
    case 'boolean':
      return chance() % 2 === 0 ? String(value) : value;
    case 'array': {
      const items = (value as unknown[]).map((item) => distort(itemsOf(schema), item, stream));
      const [only, ...more] = items;
      if (only !== undefined && more.length === 0 && chance() % 2 === 0) return only;
      return chance() % 2 === 0 ? JSON.stringify(items) : items;
    }
    case 'object': {
      const given = value as Fields;
      const fields = fieldsOf(schema);
      if (schema['properties'] === undefined)
        return chance() % 2 === 0 ? JSON.stringify(given) : given;
      return Object.fromEntries(
        Object.entries(fields).flatMap(([name, inner]) => {
          if (given[name] !== undefined) {
            return [[respell(name, chance()), distort(inner, given[name], stream)]];
          }
          const empty = KEPT.has(name) ? null : [null, '', []][chance() % 3];
          return chance() % 2 === 0 ? [] : [[name, empty]];
        }),
      );
    }
    default:
      return value;
  }
}

function respell(name: string, choice: number): string {
  const words = name.replaceAll(/([A-Z])/g, '_$1').toLowerCase();
  return [name, words, words.replaceAll('_', '-'), name.toUpperCase()][choice % 4] ?? name;
}

function fieldsOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema['properties'] ?? {}) as Record<string, JsonSchema>;
}

function itemsOf(schema: JsonSchema): JsonSchema {
  return (schema['items'] ?? {}) as JsonSchema;
}

test('a list that is too long, and an object of the caller, are left as they are', () => {
  const item = { type: 'object', properties: { a: { type: 'string' } } };
  const schema = {
    properties: { list: { type: 'array', maxItems: 2, items: item }, own: { type: 'object' } },
  };
  const two = [{ A: 'x' }, { A: 'y' }];
  const three = [...two, { A: 'z' }];
  const own = { '': null, list: '' };

  expect(readArguments(schema, { list: two }).args['list']).toEqual([{ a: 'x' }, { a: 'y' }]);
  expect(readArguments(schema, { list: three }).args['list']).toBe(three);
  expect(readArguments(schema, { own }).args['own']).toBe(own);
});
