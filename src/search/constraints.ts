/** What a query demands and forbids by its operators, checked against the texts themselves. */
import { foldName } from '#graph/names.ts';
import type { Match } from '#store/fulltext.ts';
import type { Store } from '#store/store.ts';
import { isUnspaced, type ParsedQuery } from './query.ts';
import { stemWord } from './stem.ts';

/** Those of the matches whose text has every quoted text and nothing excluded. */
export function meetConstraints(
  store: Store,
  { phrases, excluded }: ParsedQuery,
  matches: readonly Match[],
): readonly Match[] {
  if (phrases.length === 0 && excluded.length === 0) return matches;
  const texts = store.fulltext.textsOf(matches.map(({ nodeId }) => nodeId));
  const required = phrases.map(foldName);
  return matches.filter(({ nodeId }) => {
    const text = texts.get(nodeId);
    if (text === undefined) return false;
    const folded = foldName(text);
    return (
      required.every((phrase) => folded.includes(phrase)) &&
      !excluded.some((unwanted) => mentions(folded, foldName(unwanted)))
    );
  });
}

const WORD = /[\p{L}\p{N}]+/gu;

/** A single word is met in any of its forms, as the index of words has it; anything else as it is. */
function mentions(text: string, unwanted: string): boolean {
  const [word, ...more] = unwanted.match(WORD) ?? [];
  if (word !== unwanted || more.length > 0 || isUnspaced(word)) return text.includes(unwanted);
  const stem = stemWord(word);
  return (text.match(WORD) ?? []).some((other) => stemWord(other) === stem);
}
