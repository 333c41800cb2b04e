import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeGraph, type ExportGraph } from '#transfer/graph-formats.ts';
import { toRecordLines } from '#transfer/record-lines.ts';
import { draws } from '#test/draws.ts';

const GRAPH: ExportGraph = {
  entities: [
    { name: 'Ada "the {first}"', entityType: 'Person', observations: ['[1], {2}', '\\"', 'é\n'] },
    { name: 'Engine', entityType: 'Machine', observations: [] },
  ],
  relations: [{ from: 'Ada "the {first}"', to: 'Engine', relationType: 'describes' }],
};

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', '\n', '{"entities":[', 'é漢😀'),
);
const entity = fc.record({ name: text, entityType: text, observations: fc.array(text) });
const relation = fc.record({ from: text, to: text, relationType: text });
const graph = fc.record({
  entities: fc.array(entity, { maxLength: 4 }),
  relations: fc.array(relation, { maxLength: 4 }),
});

test('a graph becomes a line for each entity and relation, however it is written and cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      graph,
      fc.constantFrom(undefined, 1, 2, '\t'),
      fc.integer({ min: 1, max: 40 }),
      async (given, space, size) => {
        const lines = await read(JSON.stringify(given, null, space), size);

        expect(lines.filter((line) => line !== '').map((line) => JSON.parse(line))).toEqual([
          ...given.entities.map((one) => ({ type: 'entity', ...one })),
          ...given.relations.map((one) => ({ type: 'relation', ...one })),
        ]);
      },
    ),
    draws(200),
  );
});

test('a record has the number of the line that it begins on', async () => {
  const exported = writeGraph('json', GRAPH);

  const lines = await read(exported);

  for (const [index, line] of exported.split('\n').entries()) {
    const record = /^\{"(?:name|from)".*\}/.exec(line)?.[0];
    if (record === undefined) continue;
    const type = record.startsWith('{"name"') ? 'entity' : 'relation';
    expect(JSON.parse(lines[index] ?? '')).toEqual({ type, ...JSON.parse(record) });
  }
  expect(exported.split('\n')).toHaveLength(7);
  const pretty = await read(JSON.stringify(GRAPH, null, 2));
  expect(pretty[2]).toContain('"Ada');
  expect(pretty[11]).toContain('"Engine"');
});

test.each([
  ['the lines of a file', '{"type":"header","format":"skein"}\n{"type":"entity","entities":[]}\n'],
  ['a record whose name is that of a list', '{"type":"entity","name":"entities"}'],
  ['nothing', ''],
  ['no JSON', 'hello'],
])('%s pass through as they are', async (_, content) => {
  expect((await read(content)).join('\n')).toBe(content);
});

test('a byte order mark and the line ends of Windows are accepted', async () => {
  const lines = await read(`\ufeff${writeGraph('json', GRAPH).replaceAll('\n', '\r\n')}`);

  expect(lines.filter((line) => line !== '')).toHaveLength(3);
});

test('what is no object stays what it is, for its line to be refused', async () => {
  const lines = await read('{"entities":[1, "a,]", [{"x":2}], {}],"relations":[null]}');

  expect(lines).toEqual(['1', '"a,]"', '[{"x":2}]', '{"type":"entity"}', 'null', '']);
});

test('a line end within a text stays an error', async () => {
  const [line = ''] = await read('{"entities":[{"name":"two\nlines"}]}');

  expect(line).toContain('two');
  expect(() => JSON.parse(line)).toThrow(SyntaxError);
});

test.each([
  ['{"entities":[{"name":"Ada"', 'The graph has no end: the file is cut off.'],
  ['{"entities":[{"name":"Ada"}]', 'The graph has no end: the file is cut off.'],
  ['{"entities":[],\n"total":3}', "Line 2: a graph has entities and relations, and no 'total'."],
  ['{"entities":{}}', "Line 1: the JSON of the graph is broken: '{' cannot be here."],
  ['{"entities":[{},]}', "Line 1: the JSON of the graph is broken: ']' cannot be here."],
  ['{"entities":[{}{}]}', "Line 1: the JSON of the graph is broken: '{' cannot be here."],
  ['{"entities":[]}\n\nmore', "Line 3: the JSON of the graph is broken: 'm' cannot be here."],
])('%s is refused', async (content, message) => {
  await expect(read(content)).rejects.toThrow(message);
});

/** The lines that come of a text whose bytes arrive some at a time. */
async function read(content: string, size = 7): Promise<string[]> {
  const bytes = new TextEncoder().encode(content);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const made: Uint8Array[] = [];
  for await (const chunk of toRecordLines(chunks())) made.push(chunk.slice());
  return Buffer.concat(made).toString().split('\n');
}
