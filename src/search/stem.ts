/** The stem under which the full-text index knows a word (Porter, 1980; as SQLite's `porter` has it). */
import { stemmer } from 'stemmer';
import { foldName } from '#graph/names.ts';

export function stemWord(word: string): string {
  const folded = foldName(word);
  return /^[a-z]+$/.test(folded) ? stemmer(folded) : folded;
}
