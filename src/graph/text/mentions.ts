/** Which names a text may speak of: every run of a few words, as an index of folded names looks them up. */
import { foldName } from '#graph/names.ts';

/** Longest name, in words, that is looked for. */
const WORDS_MAX = 6;
/** Scripts that do not part their words are read in runs of so many characters. */
const UNSPACED_CHARS_MAX = 10;
const UNSPACED =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Khmer}|\p{Script=Myanmar}/u;
/** A text of the greatest length in short words has about so many runs. */
const CANDIDATES_MAX = 20_000;
/** Shorter names are common words too ("IT", "May"), so that they must be written as they are. */
const FOLDED_CHARS_MIN = 4;

/** A word, and signs that may belong to a name such as C++, C# or .NET. */
const WORD = /(?<before>[^\s\p{L}\p{N}]?)(?<word>[\p{L}\p{N}]+)(?<after>[^\s\p{L}\p{N}]{0,2})/gu;

/** Folded texts that may be names, each with the place in the folded text where it first stands. */
export function findNameCandidates(text: string): Map<string, number> {
  const folded = foldName(text);
  const candidates = new Map<string, number>();
  const add = (start: number, end: number) => {
    const name = folded.slice(start, end);
    if (!candidates.has(name) && candidates.size < CANDIDATES_MAX) candidates.set(name, start);
  };
  const words = [...folded.matchAll(WORD)].map(({ index, groups = {} }) => {
    const { before = '', word = '', after = '' } = groups;
    const start = index + before.length;
    return { start, end: start + word.length, before, after, word };
  });
  for (const [position, { start, before, word }] of words.entries()) {
    if (UNSPACED.test(word)) addRuns(word, start, add);
    for (const { end, after } of words.slice(position, position + WORDS_MAX)) {
      add(start, end);
      if (before !== '') add(start - before.length, end);
      for (let signs = 1; signs <= after.length; signs += 1) {
        add(start, end + signs);
        if (before !== '') add(start - before.length, end + signs);
      }
    }
  }
  return candidates;
}

function addRuns(word: string, start: number, add: (start: number, end: number) => void): void {
  for (let from = 0; from < word.length; from += 1) {
    for (let to = from + 1; to <= Math.min(from + UNSPACED_CHARS_MAX, word.length); to += 1) {
      add(start + from, start + to);
    }
  }
}

/** Whether a text that has the folded name has the name itself. */
export function isMentioned(name: string, text: string): boolean {
  const chars = Array.from(name).length;
  if (UNSPACED.test(name)) return chars > 1 || text.includes(name);
  if (chars >= FOLDED_CHARS_MIN) return true;
  return chars > 1 && findWhole(name, text.normalize('NFC'));
}

/** Not as a part of a longer word. */
function findWhole(name: string, text: string): boolean {
  const isPartOfWord = (char: string | undefined) =>
    char !== undefined && /[\p{L}\p{N}]/u.test(char);
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!isPartOfWord(text[at - 1]) && !isPartOfWord(text[at + name.length])) return true;
  }
  return false;
}
