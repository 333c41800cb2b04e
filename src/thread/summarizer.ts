/** Which summarizer a deployment has: a model of Workers AI where that is bound, else sentences taken from the turns. */
import type { Env } from '#env.ts';
import { extractiveSummarizer } from '#summarise/extractive-summarizer.ts';
import type { Summarizer } from '#summarise/summarizer.ts';
import { workersAiSummarizer, type TextModel } from '#summarise/workers-ai-summarizer.ts';

export function openSummarizer({ AI, SUMMARY_MODEL }: Env): Summarizer {
  const extractive = extractiveSummarizer();
  if (AI === undefined) return extractive;
  // The binding's own type names every model of one day; any model may be configured.
  const ai = AI as unknown as TextModel;
  return workersAiSummarizer(ai, extractive, { model: SUMMARY_MODEL || undefined });
}
