/** `npm run bench:search`: what a search reads, by the size of the thread. */
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { EMBEDDED_DIMENSIONS } from '#search/embed/weights.ts';
import { isolateScanKernel } from '#search/isolate-scan.ts';
import { VectorIndex } from '#search/vector-index.ts';
import { threadObjectName } from '#thread/thread-address.ts';
import {
  formatCount,
  formatMegabytes,
  formatTimes,
  median,
  type BenchMeta,
  type BenchTable,
} from '../support/bench-table.ts';
import {
  CJK_WORD,
  COMMON_WORD,
  IDENTIFIER,
  inventThread,
  nameOf,
  RARE_WORD,
  wordOfRank,
  type ThreadSize,
} from '../support/invented-thread.ts';
import { openBenchThread, type BenchThread, type MeasuredCall } from './bench-thread.ts';
import { seedThread } from './seeding.ts';
import { wordEmbedder } from './word-embedder.ts';

const SIZES = [1_000, 10_000, 50_000];
const FACTS_PER_ENTITY = 4;
/** Of each search; the rows are the same each time, and the median of the times is compared. */
const REPETITIONS = 3;

const INDEXED_VECTORS = 50_000;
/** An isolate has 128 MB for everything. */
const INDEX_BYTES_MAX = 60e6;
/** As `semantics.ts` loads them. */
const PAGE_ROWS = 2_000;

const QUERIES: Readonly<Record<string, string>> = {
  // Frequent, less frequent and rather rare words, as a question has them.
  'a question': `Which ${wordOfRank(4)} did the ${wordOfRank(60)} ${wordOfRank(900)} need?`,
  'a rare word': RARE_WORD,
  'a word of half of the facts': COMMON_WORD,
  'that word and the rare one': `${COMMON_WORD} ${RARE_WORD}`,
  'an identifier': IDENTIFIER,
  'a part of a word': RARE_WORD.slice(2, 8),
  'a CJK word': CJK_WORD,
  'the name of an entity': nameOf(42),
  'a question about nothing': 'Whose grandmother painted watercolours in Lisbon?',
};
const TOOLS = ['search_nodes', 'search_memories', 'recall'];

/** What one tool did for one query on one thread. */
interface Finding {
  readonly tool: string;
  readonly kind: string;
  readonly facts: number;
  /** Rows read to find and rank, and then to show what was found. */
  readonly rowsSearched: number;
  readonly rowsShown: number;
  readonly candidates: number;
  readonly ms: number;
  /** Rows read by function of the store, most first. */
  readonly costs: readonly (readonly [string, number])[];
}

/** What waking costs: the first question of an object's life loads the vectors. */
interface Awakening {
  readonly facts: number;
  readonly vectors: number;
  readonly rowsRead: number;
  readonly index: Footprint;
}

interface Footprint {
  readonly bytes: number;
  /** Old and new arrays side by side while they grow. */
  readonly peakBytes: number;
}

test('what a search reads', async ({ task }) => {
  const findings: Finding[] = [];
  const awakenings: Awakening[] = [];
  for (const facts of SIZES) {
    const stub = env.THREAD.getByName(threadObjectName({ subject: 'bench', threadId: `${facts}` }));
    await runInDurableObject(stub, async (_, { storage }) => {
      const embedder = wordEmbedder();
      const thread = openBenchThread(storage, embedder);
      await seedThread(thread.store, embedder, [...inventThread(sizeOf(facts))]);
      awakenings.push(await wake(thread, facts));
      for (const tool of TOOLS) {
        for (const kind of Object.keys(QUERIES)) {
          findings.push(await measureSearch(thread, tool, kind, facts));
        }
      }
    });
  }
  const { index } = awakenings.at(-1) ?? {};

  const tables = [tabulateRows(findings), tabulateCosts(findings), tabulateWaking(awakenings)];
  Object.assign(task.meta, { tables } satisfies BenchMeta);
  expect(index?.bytes).toBeLessThan(INDEX_BYTES_MAX);
});

function sizeOf(facts: number): ThreadSize {
  return {
    entities: facts / FACTS_PER_ENTITY,
    factsPerEntity: FACTS_PER_ENTITY,
    relationsPerEntity: 2,
  };
}

async function wake(thread: BenchThread, facts: number): Promise<Awakening> {
  thread.evict();
  const { storeCalls } = await thread.call('search_memories', { query: RARE_WORD });
  const loading = storeCalls.filter(({ name }) => name.startsWith('vectors.'));
  return {
    facts,
    vectors: thread.store.nodes.greatestId(),
    rowsRead: sumOf(loading.map(({ rowsRead }) => rowsRead)),
    index: measureIndex(thread),
  };
}

function measureIndex({ store }: BenchThread): Footprint {
  const index = new VectorIndex(EMBEDDED_DIMENSIONS, isolateScanKernel());
  let { bytes } = index;
  let peakBytes = bytes;
  for (let afterId = 0, page; page === undefined || page.length > 0;) {
    const room = Math.min(PAGE_ROWS, INDEXED_VECTORS - index.size);
    page = store.vectors.list(afterId, room);
    for (const { nodeId, vector } of page) {
      index.set(nodeId, vector);
      afterId = nodeId;
      if (index.bytes > bytes) peakBytes = Math.max(peakBytes, bytes + index.bytes);
      bytes = index.bytes;
    }
  }
  return { bytes, peakBytes };
}

async function measureSearch(
  thread: BenchThread,
  tool: string,
  kind: string,
  facts: number,
): Promise<Finding> {
  const query = QUERIES[kind] ?? '';
  const calls: MeasuredCall[] = [];
  while (calls.length < REPETITIONS) calls.push(await thread.call(tool, { query }));
  const [first] = calls;
  if (first === undefined) throw new Error('Nothing was measured.');
  const searching = first.storeCalls.filter(({ name }) => SEARCHES.test(name));
  const rowsSearched = sumOf(searching.map(({ rowsRead }) => rowsRead));
  return {
    tool,
    kind,
    facts,
    rowsSearched,
    rowsShown: first.rowsRead - rowsSearched,
    candidates: countCandidates(first),
    ms: median(calls.map(({ ms }) => ms)),
    costs: costsOf(first),
  };
}

/** What the search itself asks the store; the rest reads what is shown. */
const SEARCHES = /^(?:fulltext\.|facts\.neighbours|nodes\.greatestId|entities\.findFolded)/;

/**
 * Matches by words, substrings and meaning, and what was stored next to them. The neighbours are
 * resolved too, and not counted again.
 */
function countCandidates({ storeCalls }: MeasuredCall): number {
  const neighbours = storeCalls.findIndex(({ name }) => name === 'facts.neighbours');
  const proposing = storeCalls.filter(
    ({ name }, place) =>
      place === neighbours ||
      (name.startsWith('fulltext.') && (neighbours === -1 || place < neighbours)),
  );
  return sumOf(proposing.map(({ result }) => (isMatches(result) ? result.length : 0)));
}

function isMatches(result: unknown): result is readonly { nodeId: number }[] {
  return Array.isArray(result) && result.every((one) => typeof one === 'object' && 'nodeId' in one);
}

function costsOf({ storeCalls }: MeasuredCall): [string, number][] {
  const costs = new Map<string, number>();
  for (const { name, rowsRead } of storeCalls) costs.set(name, (costs.get(name) ?? 0) + rowsRead);
  return [...costs].toSorted((a, b) => b[1] - a[1]);
}

function tabulateRows(findings: readonly Finding[]): BenchTable {
  const [smallest] = SIZES;
  const perSize = SIZES.map((facts) => `${formatCount(facts)} facts`);
  return {
    name: 'search-rows',
    head: ['Tool', 'Query', ...perSize, `Time, against ${formatCount(smallest ?? 0)}`],
    rows: eachSearch(findings).map((sizes) => {
      const [first, last] = [sizes[0], sizes.at(-1)];
      return [
        `\`${first?.tool}\``,
        first?.kind ?? '',
        ...sizes.map(
          ({ rowsSearched, rowsShown, candidates }) =>
            `${formatRatio(rowsSearched, candidates)}, +${formatCount(rowsShown)}`,
        ),
        formatTimes((last?.ms ?? 0) / (first?.ms ?? 0)),
      ];
    }),
  };
}

function formatRatio(rowsRead: number, candidates: number): string {
  const ratio = rowsRead / Math.max(candidates, 1);
  return `${formatCount(rowsRead)} / ${formatCount(candidates)} = ${formatCount(ratio)}`;
}

/** The same search of every size together. */
function eachSearch(findings: readonly Finding[]): Finding[][] {
  const searches = Map.groupBy(findings, ({ tool, kind }) => `${tool} ${kind}`);
  return [...searches.values()];
}

const COSTS_SHOWN = 4;

function tabulateCosts(findings: readonly Finding[]): BenchTable {
  const largest = findings.filter(
    ({ facts, tool }) => facts === SIZES.at(-1) && tool === TOOLS.at(-1),
  );
  return {
    name: 'search-costs',
    head: ['Query', 'Rows read by', 'and by', 'and by', 'and by'],
    rows: largest.map(({ kind, costs }) => [
      kind,
      ...costs.slice(0, COSTS_SHOWN).map(([name, rows]) => `\`${name}\` ${formatCount(rows)}`),
    ]),
  };
}

function tabulateWaking(awakenings: readonly Awakening[]): BenchTable {
  return {
    name: 'search-cold',
    head: [
      'Facts',
      'Vectors',
      'Rows read to load them',
      'Index of the first 50,000',
      'While it grows',
    ],
    rows: awakenings.map(({ facts, vectors, rowsRead, index }) => [
      formatCount(facts),
      formatCount(vectors),
      formatRatio(rowsRead, vectors),
      formatMegabytes(index.bytes),
      formatMegabytes(index.peakBytes),
    ]),
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
