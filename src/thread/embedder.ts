/** Which embedder a deployment has: Workers AI where it is bound, else the one inside the Worker. */
import type { Env } from '#env.ts';
import { embeddedEmbedder, loadFromAssets } from '#search/embed/embedded-embedder.ts';
import type { Embedder } from '#search/embed/embedder.ts';
import { workersAiEmbedder, type AiBinding } from '#search/embed/workers-ai-embedder.ts';

/** One for the isolate: what one thread learns of a failing service holds for all of them. */
let workersAi: Embedder | undefined;

export function openEmbedder(env: Env): Embedder {
  if (env.AI === undefined) return embeddedEmbedder(loadFromAssets(env.ASSETS));
  // The binding's own type names every model of one day; any model may be configured.
  const ai = env.AI as unknown as AiBinding;
  workersAi ??= workersAiEmbedder(ai, { model: env.EMBEDDING_MODEL || undefined });
  return workersAi;
}
