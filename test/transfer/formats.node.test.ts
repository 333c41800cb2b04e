import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawDot, drawMermaid, readGraphMl } from '#test/node/graph-readers.ts';
import {
  EXPORT_FORMATS,
  openGraphWriter,
  writeGraph,
  type ExportGraph,
} from '#transfer/graph-formats.ts';
import { draws } from '#test/draws.ts';

const ALICE_KNOWS_BOB: ExportGraph = {
  entities: [
    { name: 'Alice', entityType: 'Person', observations: ['Plays chess'] },
    { name: 'Bob', entityType: 'Person', observations: [] },
  ],
  relations: [{ from: 'Alice', to: 'Bob', relationType: 'knows' }],
};

/** What breaks one format or another, or only its picture. */
const HOSTILE = [
  ['"', "'", '`', '\\', '\\"', '"]', '"];', '\\n', '\\N', '\\G', '\\\\', '`"', '"`'],
  ['\n', '\r', '\r\n', '\t', '\n\n', '\u0085', '\u2028', '\u2029', '\u00a0', '\ufeff', '  '],
  ['[', ']', '{', '}', '(', ')', '|', '[[', ']]', '((', '{{', '[/', '|"', '[(', '>]'],
  ['<', '>', '&', ';', '#', '&quot;', '&#34;', '&amp;amp;', '&lt', '#quot;', '#35;', '#9829;'],
  [']]>', '-->', '<!--', '--', '->', '---', '-.->', '==>', '<![CDATA[', '<?xml ?>', '</data>'],
  ['<b>bold</b>', '<br/>', '<script>alert(1)</script>', '<img src=x onerror="alert(1)">'],
  ['%%', '%% comment', '%%{init: {"theme":"dark"}}%%', '%', '@{ shape: rect }', 'n0@{', '@'],
  ['end', 'End', 'graph', 'graph LR', 'subgraph', 'flowchart TD', 'digraph', 'node', 'edge'],
  ['strict', 'style', 'style n0 fill:#f9f;', 'classDef a color:#fff;', 'class', 'click'],
  [
    'direction LR',
    'direction  TB',
    'linkStyle default',
    'default',
    'interpolate',
    'href',
    'call x',
  ],
  ['accTitle: x', 'accDescr { x }', 'title: x', ':::', 'a:::b', 'n0', 'o', 'x', 'v', '_self'],
  ['1. first', '1) first', '- item', '+ item', '* item', '# head', '> quote', '    code', '***'],
  ['x\n%% gone\nx', 'x\nend\nx', 'x\ndirection LR\nx', 'x\nstyle n0 fill:#f00;\nx'],
  ['*em*', '**strong**', '__strong__', '_em_', '~~gone~~', '[a](b)', '![a](b)', 'x--x'],
  ['https://example.com', 'www.example.com', 'a@example.com', '$$x^2$$', '$', 'fa:fa-car', ':)'],
  ['snake_case', 'kebab-case', 'python-docx 1.2.0', "Ada's (first), and/or last!?", 'AT&T', '1'],
  ['__proto__', 'constructor', 'toString', 'null', 'NaN', 'true', '0', '-1', '1e3'],
  ['\0', '\u0001', '\u0007', '\u0008', '\u000b', '\u000c', '\u001b[31m', '\u007f', '\u009b'],
  [
    '😀',
    '👩‍👩‍👧',
    '¶ß',
    '\ufb02°',
    'é',
    'e\u0301',
    '漢字',
    'ß',
    '°',
    '¶',
    '\ufb01',
    'שלום',
    '\u200e',
    '\u200f',
  ],
  ['\u202eevil', '\u2066', '\u2069', '\u061c', '\ud83d', '\ude00', '\ude00\ud83d', '\ufffe'],
  ['\uffff', '\u200b', 'x'.repeat(20_000)],
].flat();

const fragment = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE) },
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom(' ', 'a', 'LR', '1'),
);

const hostileText = fc
  .array(fragment, { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join(''))
  .filter((joined) => joined.trim() !== '');

const graph: fc.Arbitrary<ExportGraph> = fc
  .uniqueArray(hostileText, { minLength: 1, maxLength: 6 })
  .chain((names) => {
    const name = fc.constantFrom(...names);
    const observations = fc.array(hostileText, { maxLength: 3 });
    return fc.record({
      entities: fc.tuple(
        ...names.map((own) =>
          fc.record({ name: fc.constant(own), entityType: hostileText, observations }),
        ),
      ),
      relations: fc.array(fc.record({ from: name, to: name, relationType: hostileText }), {
        maxLength: 6,
      }),
    });
  });

test('the diagrams are as the specification shows them', () => {
  expect(writeGraph('mermaid', ALICE_KNOWS_BOB)).toBe(
    'graph LR\n  n0["Alice"]\n  n1["Bob"]\n  n0 -->|knows| n1\n',
  );
  expect(writeGraph('dot', ALICE_KNOWS_BOB)).toBe(
    'digraph G {\n  n0 [label="Alice"];\n  n1 [label="Bob"];\n  n0 -> n1 [label="knows"];\n}\n',
  );
});

test('the JSON is in the shape of the reference server and loses nothing', () => {
  expect(JSON.parse(writeGraph('json', ALICE_KNOWS_BOB))).toEqual(ALICE_KNOWS_BOB);
  fc.assert(
    fc.property(graph, (given) => {
      const written = writeGraph('json', given);

      expect(JSON.parse(written)).toEqual(given);
      expect(written.split('\n').filter((line) => line.startsWith('{"name":'))).toHaveLength(
        given.entities.length,
      );
    }),
  );
});

test('JSONL is the file of the reference server and loses nothing', () => {
  expect(writeGraph('jsonl', ALICE_KNOWS_BOB)).toBe(
    [
      '{"type":"entity","name":"Alice","entityType":"Person","observations":["Plays chess"]}',
      '{"type":"entity","name":"Bob","entityType":"Person","observations":[]}',
      '{"type":"relation","from":"Alice","to":"Bob","relationType":"knows"}',
      '',
    ].join('\n'),
  );
  fc.assert(
    fc.property(graph, (given) => {
      const lines = writeGraph('jsonl', given).split('\n');

      expect(lines.pop()).toBe('');
      expect(lines.map((line) => JSON.parse(line))).toEqual([
        ...given.entities.map((one) => ({ type: 'entity', ...one })),
        ...given.relations.map((one) => ({ type: 'relation', ...one })),
      ]);
    }),
  );
});

test('Graphviz draws the graph that was exported, whatever its names', () => {
  fc.assert(
    fc.property(graph, (given) => {
      const drawn = drawDot(writeGraph('dot', given));

      expect(drawn).toEqual(expectDrawing(given, asGraphvizDraws));
    }),
    draws(50),
  );
});

test('Mermaid draws the graph that was exported, whatever its names', async () => {
  await fc.assert(
    fc.asyncProperty(graph, async (given) => {
      const drawn = await drawMermaid(writeGraph('mermaid', given));

      expect(drawn).toEqual(expectDrawing(given, asMermaidDraws));
    }),
    draws(10),
  );
});

test('GraphML holds the graph that was exported, whatever its names', () => {
  fc.assert(
    fc.property(graph, (given) => {
      const { nodes, edges } = readGraphMl(writeGraph('graphml', given));

      expect(nodes).toEqual(
        given.entities.map(({ name, entityType, observations }, index) => ({
          id: `n${index}`,
          'node label': expressible(name),
          'node entityType': expressible(entityType),
          // JSON has escapes of its own for all but two of them.
          'node observations': JSON.stringify(observations).replaceAll(/[\ufffe\uffff]/g, '\ufffd'),
        })),
      );
      expect(edges).toEqual(
        given.relations.map(({ from, to, relationType }) => ({
          source: idOf(given, from),
          target: idOf(given, to),
          'edge label': expressible(relationType),
        })),
      );
    }),
    { numRuns: 500 },
  );
});

test('each hostile text alone is a name, a relation type and an observation in every format', async () => {
  const names = [...new Set(HOSTILE)].filter((name) => name.trim() !== '');
  const given: ExportGraph = {
    entities: names.map((name) => ({ name, entityType: name, observations: [name] })),
    relations: names.map((name) => ({ from: name, to: name, relationType: name })),
  };

  expect(JSON.parse(writeGraph('json', given))).toEqual(given);
  expect(drawDot(writeGraph('dot', given))).toEqual(expectDrawing(given, asGraphvizDraws));
  expect(await drawMermaid(writeGraph('mermaid', given))).toEqual(
    expectDrawing(given, asMermaidDraws),
  );
  expect(readGraphMl(writeGraph('graphml', given)).nodes.map((n) => n['node label'])).toEqual(
    names.map(expressible),
  );
});

test('what Mermaid takes for its own placeholders is parted by a sign that nobody sees', async () => {
  const names = ['\ufb02°°35¶ß', '¶ß', '\ufb02°quot¶ß'];
  const given: ExportGraph = {
    entities: names.map((name) => ({ name, entityType: 'Thing', observations: [] })),
    relations: [],
  };

  const { nodes } = await drawMermaid(writeGraph('mermaid', given));

  expect(nodes.map(({ label }) => label.replaceAll('\u200c', ''))).toEqual(names);
});

test('an empty graph is a graph in every format', async () => {
  const empty: ExportGraph = { entities: [], relations: [] };

  expect(JSON.parse(writeGraph('json', empty))).toEqual(empty);
  expect(writeGraph('jsonl', empty)).toBe('');
  expect(drawDot(writeGraph('dot', empty))).toEqual({ nodes: [], edges: [] });
  expect(readGraphMl(writeGraph('graphml', empty))).toEqual({ nodes: [], edges: [] });
  expect(await drawMermaid(writeGraph('mermaid', empty))).toEqual({ nodes: [], edges: [] });
});

test.each(EXPORT_FORMATS)('%s does not name a node by where it stands', (format) => {
  const writer = openGraphWriter(format);
  const [alice, bob] = ALICE_KNOWS_BOB.entities;
  const [knows] = ALICE_KNOWS_BOB.relations;
  if (!alice || !bob || !knows) throw new Error('Who knows whom?');
  const written = [
    writer.start(),
    writer.entity(bob, 1),
    writer.entity(alice, 0),
    writer.between(),
    writer.relation(knows, 0, 1),
    writer.end(),
  ].join('');

  const { entities, relations } = ALICE_KNOWS_BOB;
  const swapped = writeGraph(format, { entities: entities.toReversed(), relations });
  const renumbered = swapped.replaceAll(/\bn[01]\b/g, (id) => (id === 'n0' ? 'n1' : 'n0'));
  expect(written).toBe(renumbered);
});

test('a relation to an entity that is not exported is refused, not drawn to nowhere', () => {
  const relations = [{ from: 'Alice', to: 'Carol', relationType: 'knows' }];

  for (const format of EXPORT_FORMATS) {
    expect(() => writeGraph(format, { ...ALICE_KNOWS_BOB, relations })).toThrow('both ends');
  }
});

/** A label has one kind of line end; `adapt` adds what a program does to it. */
function expectDrawing(given: ExportGraph, adapt = (label: string) => label) {
  const label = (text: string) => adapt(expressible(text).replaceAll(/\r\n?/g, '\n'));
  return {
    nodes: given.entities.map(({ name }, index) => ({ id: `n${index}`, label: label(name) })),
    edges: given.relations.map(({ from, to, relationType }) => ({
      from: idOf(given, from),
      to: idOf(given, to),
      label: label(relationType),
    })),
  };
}

function idOf({ entities }: ExportGraph, name: string): string {
  return `n${entities.findIndex((entity) => entity.name === name)}`;
}

/** An empty line is exported as a space, and Graphviz draws runs of spaces with no-break spaces. */
function asGraphvizDraws(label: string): string {
  return label
    .split('\n')
    .map((line) => line || ' ')
    .join('\n')
    .replaceAll(/(?<= ) /g, '\u00a0');
}

/** What Mermaid puts for its own placeholders is parted by a sign that nobody sees. */
function asMermaidDraws(label: string): string {
  return label.replaceAll(/\ufb02(?=°)|¶(?=ß)/g, '$&\u200c');
}

/** What no escape of XML or HTML can express is shown as U+FFFD; a thread never holds it. */
function expressible(given: string): string {
  return [...given]
    .map((sign) => {
      const code = sign.codePointAt(0) ?? 0;
      const isControl = code < 0x20 && !['\t', '\n', '\r'].includes(sign);
      const isHalf = code >= 0xd800 && code <= 0xdfff;
      return isControl || isHalf || code === 0xfffe || code === 0xffff ? '\ufffd' : sign;
    })
    .join('');
}
