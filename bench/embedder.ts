/**
 * `npm run bench:embedder [-- --against <folder>]`: passages a second of the embedded model, by the
 * kernel with relaxed SIMD and by the plain one, in turns. `--against` is another checkout of this
 * repository, with its dependencies installed and its embedder built, which takes part too. CPU time
 * counts, and of each the fastest round: the machine may be busy with other things.
 */
import { join, resolve } from 'node:path';
import type { TextKind } from '#search/embed/embedder.ts';
import { readCommandLine } from '../scripts/support/command-line.ts';
import { openBatchEncoder } from './support/encoder.ts';

const ROUNDS = 15;
const TEXTS = 64;

/** 24 tokens each. */
const FACTS = Array.from(
  { length: TEXTS },
  (_, i) =>
    `The billing worker of region ${i + 10} crashes when an invoice has no line items, and Tom wants it fixed.`,
);
/** 8 tokens each. */
const QUESTIONS = Array.from({ length: TEXTS }, (_, i) => `Who fixed the billing worker ${i}?`);
/** 128 tokens and more. */
const LONG_TEXTS = Array.from({ length: 8 }, (_, i) => `${FACTS[i] ?? ''} `.repeat(7));

type EncodeOne = (text: string, kind: TextKind) => Float32Array | undefined;

const USAGE = `npm run bench:embedder [-- --against <folder>]

  --against  another checkout of this repository, built, which takes part`;

const { values } = readCommandLine(
  { name: 'npm run bench:embedder', usage: USAGE },
  { options: { against: { type: 'string' } } },
);
const relaxed = openBatchEncoder('relaxed');
const plain = openBatchEncoder('plain');
const other = values.against === undefined ? undefined : await openOther(resolve(values.against));

compare('single facts of 24 tokens', FACTS, {
  other: other && (() => each(FACTS, other)),
  plain: () => each(FACTS, (text, kind) => plain([text], kind)[0]),
  relaxed: () => each(FACTS, (text, kind) => relaxed([text], kind)[0]),
});
compare('facts of 24 tokens in one batch', FACTS, {
  other: other && (() => each(FACTS, other)),
  plain: () => plain(FACTS, 'passage'),
  relaxed: () => relaxed(FACTS, 'passage'),
});
compare('single questions of 8 tokens', QUESTIONS, {
  other: other && (() => each(QUESTIONS, other)),
  plain: () => each(QUESTIONS, (text, kind) => plain([text], kind)[0]),
  relaxed: () => each(QUESTIONS, (text, kind) => relaxed([text], kind)[0]),
});
compare('single texts of 128 tokens', LONG_TEXTS, {
  other: other && (() => each(LONG_TEXTS, other)),
  plain: () => each(LONG_TEXTS, (text, kind) => plain([text], kind)[0]),
  relaxed: () => each(LONG_TEXTS, (text, kind) => relaxed([text], kind)[0]),
});

/** The same file of another checkout, whose aliases lead to its own code. */
async function openOther(root: string): Promise<EncodeOne> {
  const { openEncoder } = await import(join(root, 'bench/support/encoder.ts'));
  return openEncoder();
}

function each(texts: readonly string[], encode: EncodeOne): void {
  for (const text of texts) encode(text, 'passage');
}

/** Prints a line for each; the ratio is to the first. */
function compare(
  title: string,
  texts: readonly string[],
  contestants: Record<string, (() => unknown) | undefined>,
): void {
  const runs = Object.entries(contestants).flatMap(([name, run]) => (run ? [{ name, run }] : []));
  const best = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { name, run } of runs) {
      best.set(name, Math.min(best.get(name) ?? Infinity, cpuMsOf(run)));
    }
  }
  console.log(title);
  const first = best.get(runs[0]?.name ?? '') ?? Number.NaN;
  for (const [name, ms] of best) {
    const perSecond = Math.round((texts.length / ms) * 1_000);
    const perText = (ms / texts.length).toFixed(2);
    console.log(
      `  ${name.padEnd(8)} ${perText} ms each, ${perSecond} a second, × ${(first / ms).toFixed(2)}`,
    );
  }
}

function cpuMsOf(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
