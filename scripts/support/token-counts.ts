/** What texts cost by the vocabularies of two makers, to check `src/graph/text/tokens.ts` against. */
import { Tokenizer } from 'ai-tokenizer';
import * as claude from 'ai-tokenizer/encoding/claude';
import * as o200k from 'ai-tokenizer/encoding/o200k_base';

const openai = new Tokenizer(o200k);
const anthropic = new Tokenizer(claude);

/**
 * Claude's published vocabulary is that of Claude 2. Later models need a tenth more of the same
 * text, by the measurements that `ai-tokenizer` made of their API.
 */
const LATER_CLAUDE = 1.1;

/** Tokens of `o200k_base`, which GPT-4o, GPT-5 and their kin use. */
export function countO200k(text: string): number {
  return openai.encode(text, 'all').length;
}

export function countClaude(text: string): number {
  return Math.ceil(LATER_CLAUDE * anthropic.encode(text, 'all').length);
}

export function countDearest(text: string): number {
  return Math.max(countO200k(text), countClaude(text));
}
