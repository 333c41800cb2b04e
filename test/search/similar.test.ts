/** What the choice of `similarMemoryMin` is worth: docs/contributing/search.md has the table. */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { scoreUpdate } from '#graph/text/update-score.ts';
import { DEFAULT_LIMITS } from '#limits.ts';
import { embeddedEmbedder, loadFromAssets } from '#search/embed/embedded-embedder.ts';
import { openTestMemory } from '#test/memory.ts';
import { CHOSEN_ON, NEVER_SEEN, type LabelledPair, type PairKind } from './similar-pairs.ts';

const embedder = embeddedEmbedder(loadFromAssets(env.ASSETS));

test('there are enough pairs of each kind, and none twice', () => {
  const all = [...CHOSEN_ON, ...NEVER_SEEN];
  const kinds: readonly PairKind[] = ['update', 'complement', 'other', 'unrelated'];

  expect(new Set(all.map(({ older, newer }) => `${older} | ${newer}`)).size).toBe(all.length);
  expect(kinds.map((kind) => all.filter((pair) => pair.kind === kind).length)).toEqual([
    90, 70, 54, 42,
  ]);
});

test('of the pairs that it was chosen on, 65 of 66 updates are similar, and 5 of 130 others', async () => {
  expect(await countSimilar(CHOSEN_ON)).toEqual({
    update: 65,
    complement: 4,
    other: 1,
    unrelated: 0,
  });
});

test('of the pairs that it had never seen, 18 of 24 updates are similar, and 1 of 36 others', async () => {
  expect(await countSimilar(NEVER_SEEN)).toEqual({
    update: 18,
    complement: 1,
    other: 0,
    unrelated: 0,
  });
});

test('among all the older statements at once, a store lists what it updates and little else', async () => {
  await using memory = await openTestMemory();
  const pairs = [...CHOSEN_ON, ...NEVER_SEEN];
  const updates = pairs.filter(({ kind }) => kind === 'update');
  const isUpdate = new Set(updates.map(({ older, newer }) => `${older} | ${newer}`));
  for (const content of new Set(pairs.map(({ older }) => older))) {
    await memory.call('store_memory', { content });
  }
  let found = 0;
  let others = 0;
  const newer = new Set(updates.map((pair) => pair.newer));
  for (const content of newer) {
    const { created, similar } = await memory.call('store_memory', { content });
    const told = similar.map((one: any) => `${one.content} | ${content}`);
    found += told.filter((pair: string) => isUpdate.has(pair)).length;
    others += told.filter((pair: string) => !isUpdate.has(pair)).length;
    await memory.call('delete_node', { node_id: created.id });
  }

  expect({ found, others, stores: newer.size }).toEqual({ found: 83, others: 32, stores: 90 });
});

async function countSimilar(pairs: readonly LabelledPair[]): Promise<Record<PairKind, number>> {
  const texts = [...new Set(pairs.flatMap(({ older, newer }) => [older, newer]))];
  const vectors = await embedder.embed(texts, 'passage');
  const vectorOf = new Map(texts.map((text, index) => [text, vectors[index]]));
  const counts: Record<PairKind, number> = { update: 0, complement: 0, other: 0, unrelated: 0 };
  for (const { kind, older, newer } of pairs) {
    const cosine = dot(vectorOf.get(older), vectorOf.get(newer));
    if (scoreUpdate(cosine, older, newer) >= DEFAULT_LIMITS.similarMemoryMin) counts[kind] += 1;
  }
  return counts;
}

/** Of unit vectors: their cosine. */
function dot(a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()): number {
  return a.reduce((sum, component, index) => sum + component * (b[index] ?? 0), 0);
}
