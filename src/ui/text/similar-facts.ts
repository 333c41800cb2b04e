/** Facts that a new one may replace, by the words that they share. */

interface Worded {
  readonly content: string;
}

const SHARE_MIN = 0.5;
const WORDS_MIN = 2;
const FOUND_MAX = 2;

/** At most two, the most alike first; none for a text of a single word. */
export function similarFacts<Fact extends Worded>(text: string, facts: readonly Fact[]): Fact[] {
  const words = wordsOf(text);
  if (words.size < WORDS_MIN) return [];
  return facts
    .map((fact) => ({ fact, share: shareOf(words, wordsOf(fact.content)) }))
    .filter(({ share }) => share >= SHARE_MIN)
    .toSorted((a, b) => b.share - a.share)
    .slice(0, FOUND_MAX)
    .map(({ fact }) => fact);
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}

/** Words in common, of all words of both. */
function shareOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = a.intersection(b).size;
  return common / (a.size + b.size - common);
}
