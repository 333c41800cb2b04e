import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '#limits.ts';
import { findTool, selectTools, TOOLSETS } from '#tools/catalog.ts';
import type { Effect, Tool } from '#tools/define.ts';
import type { JsonSchema } from '#tools/json-schema.ts';
import { hintsOf, listTool, type ListedTool } from '#tools/listing.ts';
import { listNodes, type SchemaNode } from '../../scripts/support/json-schema.ts';
import { priceOf } from '../../scripts/support/tools-pages.ts';

const SOURCE = join(import.meta.dirname, '../../src/tools');
const SNAPSHOTS = join(import.meta.dirname, '__snapshots__');

/** Tokens that a client may be charged for listing a toolset; the product's main cost to its users. */
const BUDGETS: Readonly<Record<string, number>> = {
  core: 4_500,
  graph: 5_500,
  memories: 1_400,
  nodes: 4_600,
  sessions: 3_900,
  threads: 1_700,
};

/** Capitals that are names; any others shout. */
const ACRONYMS = new Set(['CJK', 'ISO', 'JSON', 'JSONL', 'TTL', 'URL', 'UTC', 'UUID']);

const HINTS: Readonly<Record<Effect, readonly string[]>> = {
  read: ['readOnlyHint', 'idempotentHint'],
  add: [],
  change: ['destructiveHint', 'idempotentHint'],
  remove: ['destructiveHint', 'idempotentHint'],
  control: ['destructiveHint', 'idempotentHint'],
};

const VERBS: readonly (readonly [RegExp, Effect])[] = [
  [/^(?:describe|find|get|list|open|query|read|recall|search|validate)_/, 'read'],
  [/^(?:delete|merge|remove|undo)_/, 'remove'],
  [/^rename_/, 'change'],
  [/^(?:start|stop)_/, 'control'],
];

const tools = [...new Set(TOOLSETS.flatMap((toolset) => toolset.tools))];
const validator = new CfWorkerJsonSchemaValidator({ shortcircuit: false });

test('no two tools or toolsets share a name', () => {
  expect(duplicates(tools.map(({ name }) => name))).toEqual([]);
  expect(duplicates(TOOLSETS.map(({ name }) => name))).toEqual([]);
  expect(TOOLSETS.flatMap((toolset) => duplicates(toolset.tools).map(({ name }) => name))).toEqual(
    [],
  );
});

test('a tool, its file and its export have one name, and each tool is in a toolset', async () => {
  const folders = readdirSync(SOURCE, { withFileTypes: true }).filter((one) => one.isDirectory());
  const exported = await Promise.all(folders.map(({ name }) => toolsIn(name)));

  expect(folders.map(({ name }) => name).toSorted()).toEqual(
    TOOLSETS.map(({ name }) => name).toSorted(),
  );
  expect(exported.flat().toSorted()).toEqual(
    tools.map(({ name }) => `${toKebab(name)}.ts: ${toCamel(name)} is ${name}`).toSorted(),
  );
});

test('descriptions are short, whole sentences in a calm voice', () => {
  const faults = tools.flatMap(({ name, title, description }) => [
    ...(title.trim() === '' ? [`${name} has no title.`] : []),
    ...(description.length > 300 ? [`${name}: cut ${description.length} to 300 characters.`] : []),
    ...(description.endsWith('.') ? [] : [`${name}: end the description with a full stop.`]),
    ...shouts(`${title} ${description}`).map((word) => `${name}: write ${word} in small letters.`),
  ]);

  expect(faults).toEqual([]);
});

test('every field that a tool takes or answers with is described', () => {
  const faults = tools.flatMap((tool) =>
    [...inputNodes(tool), ...listNodes(tool.outputSchema)]
      .filter(({ isField, schema }) => isField && !hasText(schema['description']))
      .map(({ path }) => `${tool.name}: describe ${path}.`),
  );

  expect(faults).toEqual([]);
});

test('everything that a tool takes has a type, and every list and text has an end', () => {
  const faults = tools.flatMap((tool) =>
    inputNodes(tool).flatMap(({ path, schema }) => [
      ...(hasType(schema) ? [] : [`${tool.name}: give ${path} a type.`]),
      ...(isEndlessList(schema) ? [`${tool.name}: give ${path} a maxItems.`] : []),
      ...(isEndlessText(schema) ? [`${tool.name}: give ${path} a maxLength.`] : []),
    ]),
  );

  expect(faults).toEqual([]);
});

test('no schema is a union at the top, which some clients refuse', () => {
  const unions = ['anyOf', 'oneOf', 'allOf', 'not'];
  const faults = tools.flatMap(({ name, inputSchema, outputSchema }) =>
    [inputSchema, outputSchema]
      .filter((schema) => schema['type'] !== 'object' || unions.some((union) => union in schema))
      .map(() => `${name}: take and answer with one object.`),
  );

  expect(faults).toEqual([]);
});

test('every limit that a listing names is filled in', () => {
  const faults = tools.flatMap((tool) => [
    ...placeholdersIn(listed(tool)).map((one) => `${tool.name}: ${one} is no limit.`),
    ...placeholdersIn(tool.outputSchema).map((one) => `${tool.name}: no limits in outputs: ${one}`),
  ]);

  expect(faults).toEqual([]);
});

test('names in descriptions and instructions are names of tools and fields', () => {
  const known = new Set(tools.flatMap((tool) => [tool.name, ...fieldNames(tool)]));
  const texts = [
    ...tools.map(({ name, description }) => [name, description] as const),
    ...TOOLSETS.map(({ name, instructions }) => [`toolset ${name}`, instructions] as const),
  ];
  const faults = texts.flatMap(([where, text]) =>
    (text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [])
      .filter((name) => !known.has(name))
      .map((name) => `${where} speaks of ${name}, which does not exist.`),
  );

  expect(faults).toEqual([]);
});

test.each(Object.entries(HINTS))('the effect %s has the hints %j', (effect, hints) => {
  const given = Object.entries(hintsOf(effect as Effect)).filter(([, value]) => value === true);

  expect(given.map(([hint]) => hint)).toEqual(hints);
});

test.each([
  ['read', ['readOnlyHint', 'openWorldHint']],
  ['add', ['destructiveHint', 'openWorldHint']],
  ['remove', ['destructiveHint', 'idempotentHint', 'openWorldHint']],
] as const)('of the effect %s a client is told the hints %j', (effect, hints) => {
  const tool = tools.find((one) => one.effect === effect);

  const { annotations } = listed(tool as Tool);

  expect(annotations).toEqual(
    Object.fromEntries(hints.map((hint) => [hint, hintsOf(effect)[hint]])),
  );
});

test('a listing leaves out the lengths of filters and of existing names, and no others', () => {
  const lengths = (name: string, hasAllLimits: boolean) =>
    listNodes(listed(findTool(name) as Tool, { isBound: true, hasAllLimits }).inputSchema)
      .filter(({ schema }) => 'maxLength' in schema)
      .map(({ path }) => path);

  expect(lengths('list_entities', true)).toEqual(['entityType', 'namePattern', 'cursor']);
  expect(lengths('list_entities', false)).toEqual(['namePattern']);
  expect(lengths('save_memory', false)).toEqual(
    lengths('save_memory', true).filter((path) => path !== 'source'),
  );
});

/** Tools for one thing: the first is preferred, and each of the others says which one to prefer, or what the others have. */
test.each([
  [
    'search',
    ['recall', 'search_nodes', 'search_relations'],
    [
      'read_graph',
      'query_nodes',
      'search_memories',
      'search',
      'search_triplets',
      'query_raw_memories',
      'query_summaries',
    ],
  ],
  [
    'write',
    ['save_memory', 'create_relations', 'create_triplet'],
    [
      'create_entities',
      'upsert_entities',
      'create_relations',
      'store_memory',
      'create_node',
      'create_relation',
      'create_triplet',
      'add_memory',
    ],
  ],
  [
    'health',
    ['health_check', 'healthcheck', 'graph_stats', 'get_stats'],
    ['test_connection', 'health_check', 'healthcheck', 'graph_stats', 'get_stats'],
  ],
] as const)('of the tools to %s each says which one to prefer', (_, preferred, names) => {
  const silent = names.filter((name) => {
    const { description = '' } = findTool(name) ?? {};
    return !preferred.some(
      (other) => other !== name && new RegExp(`\\b${other}\\b`).test(description),
    );
  });

  expect(silent).toEqual([]);
});

test('query_nodes says that it filters and does not search', () => {
  expect(findTool('query_nodes')?.description).toMatch(/^Filters .* does not search/);
});

test('a tool does what its verb says', () => {
  const faults = tools.flatMap(({ name, effect }) =>
    VERBS.filter(([verb, expected]) => verb.test(name) && effect !== expected).map(
      ([, expected]) => `${name}: make its effect ${expected}, or rename it.`,
    ),
  );

  expect(faults).toEqual([]);
});

test.each(TOOLSETS.flatMap(({ name }) => [[name, 'a bound'] as const, [name, 'any'] as const]))(
  'the toolset %s is listed for %s thread within its budget',
  (name, thread) => {
    const budget = BUDGETS[name] ?? 0;

    expect(budget, `Give the toolset ${name} a budget in this file.`).toBeGreaterThan(0);
    expect(
      priceOf(
        selectTools(name, { isReadonly: false, isBound: thread === 'a bound' }).tools,
        thread === 'a bound',
      ),
    ).toBeLessThanOrEqual(budget);
  },
);

test('tools are listed in the same order whatever order was asked for', () => {
  const names = TOOLSETS.map(({ name }) => name);
  const list = (wanted: string) =>
    selectTools(wanted, { isReadonly: false, isBound: true }).tools.map((tool) => listed(tool));

  expect(list(names.join())).toEqual(list('all'));
  expect(list(names.toReversed().join())).toEqual(list('all'));
});

test.each(tools.map((tool) => [tool.name, tool] as const))(
  'the listing of %s is the one that was reviewed: vitest -u accepts another',
  async (name, tool) => {
    const text = `${JSON.stringify(listed(tool), null, 2)}\n`;

    await expect(text).toMatchFileSnapshot(join(SNAPSHOTS, `${name}.json`));
  },
);

test('there is no snapshot of a tool that is gone', () => {
  const names = new Set(tools.map(({ name }) => `${name}.json`));

  expect(readdirSync(SNAPSHOTS).filter((file) => !names.has(file))).toEqual([]);
});

test.each(tools.map((tool) => [tool.name, tool] as const))(
  'the example of %s fits its schemas',
  (_, tool) => {
    const { given = [], input, output } = tool.example;
    const { inputSchema, outputSchema } = listed(tool, { isBound: true });

    expect(given.filter((step) => findTool(step.tool) === undefined)).toEqual([]);
    expect(misfit(inputSchema, input)).toBeUndefined();
    expect(misfit(outputSchema, output)).toBeUndefined();
    expect(misfit(tool.outputSchema, output)).toBeUndefined();
  },
);

function listed(tool: Tool, { isBound = false, hasAllLimits = false } = {}): ListedTool {
  return listTool(tool, { limits: DEFAULT_LIMITS, isBound, hasAllLimits });
}

/**
 * Without `threadId`, which the framework adds and checks, and without what `validate_memory` only names:
 * `save_memory` beside it describes and bounds the same fields.
 */
function inputNodes(tool: Tool): SchemaNode[] {
  const nodes = listNodes(listed(tool, { isBound: true, hasAllLimits: true }).inputSchema);
  const isNamed = ({ path }: SchemaNode) => path.startsWith('entities[]');
  return tool.name === 'validate_memory' ? nodes.filter((node) => !isNamed(node)) : nodes;
}

/** As in `save-memory.ts: saveMemory is save_memory`. */
async function toolsIn(folder: string): Promise<string[]> {
  const files = readdirSync(join(SOURCE, folder));
  const found = files.map(async (file) => {
    const exports: object = await import(pathToFileURL(join(SOURCE, folder, file)).href);
    return Object.entries(exports)
      .filter(([, value]) => isTool(value))
      .map(([exportName, { name }]) => `${file}: ${exportName} is ${name}`);
  });
  return (await Promise.all(found)).flat();
}

function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && 'call' in value && 'effect' in value;
}

function toKebab(name: string): string {
  return name.replaceAll('_', '-');
}

function toCamel(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function duplicates<Value>(values: readonly Value[]): Value[] {
  return values.filter((value, position) => values.indexOf(value) !== position);
}

function shouts(text: string): string[] {
  return (text.match(/\b[A-Z]{3,}\b|!/g) ?? []).filter((word) => !ACRONYMS.has(word));
}

function hasText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function hasType(schema: JsonSchema): boolean {
  return ['type', 'const', 'enum', 'anyOf', 'oneOf'].some((key) => key in schema);
}

function isEndlessList({ type, maxItems }: JsonSchema): boolean {
  return [type].flat().includes('array') && typeof maxItems !== 'number';
}

function isEndlessText({ type, maxLength, enum: values, const: constant }: JsonSchema): boolean {
  const isBounded = typeof maxLength === 'number' || values !== undefined || constant !== undefined;
  return [type].flat().includes('string') && !isBounded;
}

function placeholdersIn(value: unknown): string[] {
  return JSON.stringify(value).match(/\{\w+\}/g) ?? [];
}

function fieldNames({ inputSchema, outputSchema }: Tool): string[] {
  const paths = [...listNodes(inputSchema), ...listNodes(outputSchema)].map(({ path }) => path);
  return paths.flatMap((path) => path.split(/[.[\]]+/));
}

/** What a client's validator has to say against the value. */
function misfit(schema: JsonSchema, value: unknown): string | undefined {
  return validator.getValidator(schema)(value).errorMessage;
}
