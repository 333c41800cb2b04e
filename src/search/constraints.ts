/** What a query demands and forbids by its operators, checked against the texts themselves. */
import { foldName } from '#graph/names.ts';
import type { Match } from '#store/search/fulltext.ts';
import type { Store } from '#store/store.ts';
import { isUnspaced, type ParsedQuery } from './query.ts';
import { stemWord } from './stem.ts';

/** Texts held at a time: that of a turn may be almost a megabyte. */
const TEXTS_PER_READ = 20;

/** Those of the matches whose text has every quoted text and nothing excluded. */
export function meetConstraints(
  store: Store,
  { phrases, excluded }: ParsedQuery,
  matches: readonly Match[],
): readonly Match[] {
  if (phrases.length === 0 && excluded.length === 0) return matches;
  const required = phrases.map(foldName);
  const unwanted = excluded.map(foldName);
  const met = new Set<number>();
  for (let at = 0; at < matches.length; at += TEXTS_PER_READ) {
    const nodeIds = matches.slice(at, at + TEXTS_PER_READ).map(({ nodeId }) => nodeId);
    for (const [nodeId, text] of store.fulltext.textsOf(nodeIds)) {
      const folded = foldName(text);
      const isMet =
        required.every((phrase) => folded.includes(phrase)) &&
        !unwanted.some((one) => mentions(folded, one));
      if (isMet) met.add(nodeId);
    }
  }
  return matches.filter(({ nodeId }) => met.has(nodeId));
}

const WORD = /[\p{L}\p{N}]+/gu;

/** A single word is met in any of its forms, as the index of words has it; anything else as it is. */
function mentions(text: string, unwanted: string): boolean {
  const [word, ...more] = unwanted.match(WORD) ?? [];
  if (word !== unwanted || more.length > 0 || isUnspaced(word)) return text.includes(unwanted);
  const stem = stemWord(word);
  return (text.match(WORD) ?? []).some((other) => stemWord(other) === stem);
}
