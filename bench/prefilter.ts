/**
 * `npm run bench:prefilter`: how many of the nearest vectors the 1-bit prefilter lets through, on
 * vectors of the embedded model. The sweep ranks by signs as `src/search/vector-index.ts` does.
 */
import { EMBEDDED_DIMENSIONS } from '#search/embed/weights.ts';
import { quantise, VectorIndex } from '#search/vector-index.ts';
import { formatCount, formatPercent, formatTimes, type BenchTable } from './support/bench-table.ts';
import { publish } from './support/benchmarks-page.ts';
import { encodeTexts } from './support/encode-texts.ts';
import { writeQuestions, writeSentences } from './support/working-life.ts';

/** Above `PREFILTER_FROM`: the index itself uses its prefilter. */
const SENTENCES = 52_000;
/** Not above it: the same index looks at everything. */
const UNFILTERED = 50_000;
const QUESTIONS = 300;
/** The nearest vectors that ought to be found. */
const NEAREST = [20, 200];
/** What the callers of the index ask for: a store 50, a search 200 and more, recall 800. */
const LIMITS = [20, 50, 200, 800];
const PASSED = [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 16_000, 32_000];
const FOUND = ['Found', 'Worst question', 'Questions with all'];

const sentences = writeSentences(SENTENCES);
const vectors = (await encodeTexts(sentences, 'passage')).map(quantise);
const questions = await encodeTexts(writeQuestions(QUESTIONS), 'query');
const nearest = findNearest(Math.max(...NEAREST));

publish([measureIndex(), measureSigns()]);

/** The index as it is, prefilter included. */
function measureIndex(): BenchTable {
  const index = fillIndex(0, SENTENCES);
  const unfiltered = fillIndex(0, UNFILTERED);
  return {
    name: 'prefilter-index',
    head: ['Asked for', 'Nearest', ...FOUND, 'Time, against looking at all'],
    rows: LIMITS.map((limit) => {
      const wanted = Math.min(limit, ...NEAREST);
      const found = questions.map((question, place) => {
        const rows = index.scan(question, limit).neighbours.map(({ nodeId }) => nodeId);
        return shareFound(nearest[place]?.slice(0, wanted) ?? [], new Set(rows));
      });
      const times = timeScans(index, limit) / timeScans(unfiltered, limit);
      return [
        formatCount(limit),
        formatCount(wanted),
        ...summarise(found),
        formatTimes((times * UNFILTERED) / SENTENCES),
      ];
    }),
  };
}

function fillIndex(from: number, to: number): VectorIndex {
  const index = new VectorIndex(EMBEDDED_DIMENSIONS);
  for (let row = from; row < to; row += 1) {
    const vector = vectors[row];
    if (vector !== undefined) index.set(row, vector);
  }
  return index;
}

/** Milliseconds for a question each, the second time: by then the code is compiled. */
function timeScans(index: VectorIndex, limit: number): number {
  const time = () => {
    const startedAt = performance.now();
    for (const question of questions.slice(0, QUESTIONS / 3)) index.scan(question, limit);
    return performance.now() - startedAt;
  };
  time();
  return time();
}

/** What another number of candidates would let through. */
function measureSigns(): BenchTable {
  const ranks = rankBySigns();
  return {
    name: 'prefilter-signs',
    head: ['Candidates', ...NEAREST.flatMap((wanted) => FOUND.map((one) => `${one}, ${wanted}`))],
    rows: PASSED.map((passed) => [
      formatCount(passed),
      ...NEAREST.flatMap((wanted) =>
        summarise(
          ranks.map((own) => own.slice(0, wanted).filter((rank) => rank < passed).length / wanted),
        ),
      ),
    ]),
  };
}

/**
 * Of each question the places of its nearest vectors among all, by how many signs agree; equal ones
 * in the order of the rows.
 */
function rankBySigns(): number[][] {
  const signs = vectors.map(({ values }) => signsOf(values));
  return questions.map((question, place) => {
    const wanted = signsOf(question);
    const differing = signs.map((own) => countDiffering(own, wanted));
    const ranks = rankByBits(differing);
    return (nearest[place] ?? []).map((row) => ranks[row] ?? SENTENCES);
  });
}

/** Counting sort: how many rows come before each. */
function rankByBits(differing: readonly number[]): number[] {
  const next = new Uint32Array(EMBEDDED_DIMENSIONS + 2);
  for (const bits of differing) next[bits + 1] = (next[bits + 1] ?? 0) + 1;
  for (let bits = 1; bits < next.length; bits += 1) {
    next[bits] = (next[bits] ?? 0) + (next[bits - 1] ?? 0);
  }
  return differing.map((bits) => {
    const rank = next[bits] ?? 0;
    next[bits] = rank + 1;
    return rank;
  });
}

/** Share of all, least share of a question, and the questions with everything, as texts. */
function summarise(shares: readonly number[]): string[] {
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const whole = shares.filter((share) => share === 1).length / shares.length;
  return [mean, Math.min(...shares), whole].map(formatPercent);
}

function shareFound(wanted: readonly number[], found: ReadonlySet<number>): number {
  return wanted.filter((row) => found.has(row)).length / wanted.length;
}

/** Of each question the rows of the greatest cosines: two halves without a prefilter, joined. */
function findNearest(limit: number): number[][] {
  const half = SENTENCES / 2;
  const halves = [fillIndex(0, half), fillIndex(half, SENTENCES)];
  return questions.map((question) =>
    halves
      .flatMap((index) => index.scan(question, limit).neighbours)
      .toSorted((a, b) => b.similarity - a.similarity || a.nodeId - b.nodeId)
      .slice(0, limit)
      .map(({ nodeId }) => nodeId),
  );
}

/** One byte a dimension: slower than bits, and there is only one reader. */
function signsOf(vector: Float32Array | Int8Array): Uint8Array {
  return Uint8Array.from(vector, (component) => (component > 0 ? 1 : 0));
}

function countDiffering(a: Uint8Array, b: Uint8Array): number {
  let differing = 0;
  for (let i = 0; i < a.length; i += 1) differing += (a[i] ?? 0) ^ (b[i] ?? 0);
  return differing;
}
