// Owns how many sentences a text has, which is what holds an observation to atomic facts.
// It reads punctuation and a short list of abbreviations, never grammar: an ambiguous dot gets one
// documented reading, the count is an estimate, and the time stays linear on hostile text.

import { findQuotations } from './quotations.ts';

/** One run of text with a letter or digit in it, and the marks that stand around that run. */
interface Word {
  /** The opening quotes and brackets before the run. */
  lead: string;
  core: string;
  /** The terminators and closing marks after the run, including those set apart by a space. */
  tail: string;
  /** Signs without a letter or digit that follow, such as `&` and `=`, each after a space. */
  signs: string;
}

const DOTS = new Set('.．');
const FULL_WIDTH_TERMINATORS = new Set('。！？｡');
const STRONG_TERMINATORS = new Set('!?‼⁇⁈⁉‽؟۔।॥։።፧');
const TERMINATORS = new Set([...DOTS, '…', ...FULL_WIDTH_TERMINATORS, ...STRONG_TERMINATORS]);

// Emphasis marks are here because Markdown puts them where quotes go: `**Done.** Then left`.
const OPENING_MARKS = new Set('"\'`“‘„‚«‹»›「『（〈《【([{<*_~¿¡');
const CLOSING_MARKS = new Set('"\'`”’“»›«‹」』）〉》】)]}>*_~');

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const LINE_BREAK = /\r\n?|[\n\u2028\u2029]/u;
const LINE_BREAK_RUN = /\s*[\r\n\u2028\u2029]\s*/gu;
const BULLET = /^\s*(?:[-*+–—·]\s|[•‣◦▪●]|\d{1,3}[.)]\s)/u;
const LIST_MARKER = /^(?:\d{1,3}(?:\.\d{1,3})*|\p{L})$/u;
const LONE_INITIAL = /^(?:\p{L}\.-)?\p{L}$/u;
const DOTTED_INITIALS = /^\p{L}(?:\.\p{L})+$/u;
const ACRONYM = /^\p{Lu}{2,}$/u;
const ELLIPSIS = /…|[.．]{2}/u;

// An invisible character between a terminator and the space would hide the end of the sentence.
const INVISIBLE = /\p{Cf}/gu;
// Some emoji are letters to Unicode, and a keycap is a digit in a frame; neither is a word.
const EMOJI = /(?![‼⁉])[\p{Extended_Pictographic}\p{RI}\p{EMod}]\uFE0F?|[\d#*]\uFE0F?\u20E3/gu;
const FULL_WIDTH_END = /[。！？｡][.．…。！？｡!?”’」』）〉》】"')\]]*/gu;

// In the lists below a lower-case entry matches any case; a capitalised entry matches only as
// written, because its lower-case form is an ordinary word or unit (`20 ms.`, `the sun.`).

/** These lead on to what they introduce, so their dot never ends a sentence. */
const LEADING_ABBREVIATIONS = listOf(
  'mr mrs Ms mx dr prof messrs mme mlle Gen Col Capt Lt Maj Sgt Rev Hon Gov Sen Rep Pres Fr Mt Ft',
  'e.g i.e eg ie cf vs v viz approx ca avg esp incl resp inkl bzw evtl ggf bspw z.b d.h',
  'проф акад вул ул им ім див напр',
);

/** These are abbreviations only before a number: `No. 5` goes on, `No. It failed.` does not. */
const NUMBERED_ABBREVIATIONS = listOf(
  'no nos nr num fig figs eq sec ch vol art p pp par ver ref est tel ext min max стор рис табл',
);

/** These often close a sentence, so an upper-case letter after them starts the next one. */
const CLOSING_ABBREVIATIONS = listOf(
  'etc al inc ltd co corp llc plc bros dept misc ave blvd rd a.m p.m usw',
  'Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun',
  'др пр ін тис грн руб обл рр гг',
);

/** These are parts of names and degrees, which only a clear sentence opener can follow afresh. */
const NAME_ABBREVIATIONS = listOf('jr sr St ph.d b.sc m.sc b.eng m.eng d.phil ed.d ll.b ll.m');

/** Observations drop their subject, so verbs are here too: `Writes C. Likes tea.` is two facts. */
const SENTENCE_OPENERS = listOf(
  'he she it they we you i the a an this that these those his her its their our my your there here',
  'then when if but and also however in on at after before since uses has likes is was works lives',
  'prefers needs wants owns knows speaks runs supports requires',
);

/**
 * Counts the sentences of a text. A text with a letter or digit has at least one; any other has
 * none. A terminator counts before white space or the end, a full-width one anywhere. A line break
 * separates sentences only at a blank line or before a list item.
 */
export function countSentences(text: string): number {
  return splitSentences(text).length;
}

/**
 * The sentences that are counted, for a reader: single spaces, emoji left out. What someone said between
 * quotation marks is not cut, however many sentences it has.
 */
export function splitSentences(text: string): string[] {
  return splitBlocks(hideQuoted(text.replaceAll(INVISIBLE, '')))
    .flatMap((block) => splitWords(readWords(block)))
    .map(showQuoted);
}

/** Stand-ins for terminators that end nothing: characters that no text has. */
const HIDDEN = new Map(
  [...TERMINATORS].map((mark, at) => [mark, String.fromCodePoint(0xfdd0 + at)]),
);
const SHOWN = new Map([...HIDDEN].map(([mark, standIn]) => [standIn, mark]));

/** Takes the ends of sentences out of quotations, save the last of each, which may end the whole. */
function hideQuoted(text: string): string {
  let hidden = '';
  let done = 0;
  for (const { start, end } of findQuotations(text)) {
    let inner = end;
    while (inner > start && isTailOrSpace(text.charAt(inner - 1))) inner -= 1;
    const quoted = [...text.slice(start, inner).replaceAll(LINE_BREAK_RUN, ' ')];
    hidden += text.slice(done, start) + quoted.map((mark) => HIDDEN.get(mark) ?? mark).join('');
    done = inner;
  }
  return hidden + text.slice(done);
}

function isTailOrSpace(character: string): boolean {
  return isTailMark(character) || /\s/u.test(character);
}

function showQuoted(sentence: string): string {
  return [...sentence].map((mark) => SHOWN.get(mark) ?? mark).join('');
}

function listOf(...lines: string[]): ReadonlySet<string> {
  return new Set(lines.join(' ').split(' '));
}

function splitBlocks(text: string): string[] {
  const blocks: string[][] = [[]];
  for (const line of text.split(LINE_BREAK)) {
    if (line.trim() === '' || BULLET.test(line)) blocks.push([line]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.map((lines) => lines.join(' '));
}

function readWords(block: string): Word[] {
  // No space follows a full-width terminator, so one is added: all that is left is to read spaces.
  const spaced = block.replaceAll(EMOJI, ' ').replaceAll(FULL_WIDTH_END, '$& ');
  const words: Word[] = [];
  // French sets its opening mark apart.
  let lead = '';
  for (const token of spaced.split(/\s+/u)) {
    const last = words.at(-1);
    if (token === '«' || token === '‹') lead = `${token} `;
    else if (LETTER_OR_DIGIT.test(token)) {
      const word = parseWord(token);
      words.push({ ...word, lead: lead + word.lead });
      lead = '';
    } else if (last !== undefined && isSpacedTail(token)) last.tail += token;
    else if (last !== undefined && token !== '') last.signs += ` ${token}`;
  }
  return words;
}

/** French sets `!`, `?` and `»` apart by a space, and some write an ellipsis as `. . .`. */
function isSpacedTail(token: string): boolean {
  if (token === '»') return true;
  return TERMINATORS.has(token.charAt(0)) && [...token].every(isTailMark);
}

function parseWord(token: string): Word {
  let start = 0;
  while (OPENING_MARKS.has(token.charAt(start))) start += 1;
  let end = token.length;
  while (end > start && isTailMark(token.charAt(end - 1))) end -= 1;
  return {
    lead: token.slice(0, start),
    core: token.slice(start, end),
    tail: token.slice(end),
    signs: '',
  };
}

function isTailMark(character: string): boolean {
  return TERMINATORS.has(character) || CLOSING_MARKS.has(character);
}

function splitWords(words: Word[]): string[] {
  const sentences: Word[][] = [];
  let isAtStart = true;
  for (const [index, word] of words.entries()) {
    const previous = words[index - 1];
    // A list marker leaves the sentence at its start, so that `1. 2. 3.` is no three sentences.
    const isMarked = isAtStart && previous !== undefined && isListMarker(previous);
    if (previous !== undefined && !isMarked) {
      isAtStart = endsSentence(previous, word, words[index - 2]);
    }
    if (isAtStart && !isMarked) sentences.push([word]);
    else sentences.at(-1)?.push(word);
  }
  return sentences.map((sentence) =>
    // Signs behind the last word are more often a dash or a bullet before the next sentence.
    sentence
      .map(({ lead, core, tail, signs }, at) =>
        at === sentence.length - 1 ? lead + core + tail : lead + core + tail + signs,
      )
      .join(' '),
  );
}

function isListMarker(word: Word): boolean {
  return LIST_MARKER.test(word.core) && hasOwnDot(word);
}

function endsSentence(word: Word, next: Word, earlier: Word | undefined): boolean {
  const { tail } = word;
  if (!hasAny(tail, TERMINATORS)) return false;
  if (hasAny(tail, FULL_WIDTH_TERMINATORS)) return true;
  if (CLOSING_MARKS.has(tail.slice(-1)) && continuesInLowerCase(next)) return false;
  if (hasAny(tail, STRONG_TERMINATORS)) return true;
  if (ELLIPSIS.test(tail)) return startsUpperCase(next);
  return !hasOwnDot(word) || !isAbbreviation(word, next, earlier);
}

function hasAny(text: string, characters: ReadonlySet<string>): boolean {
  return [...text].some((character) => characters.has(character));
}

/** The dots of `(approx).` and `(approx.).` end the sentence; the one of `approx.` is its own. */
function hasOwnDot(word: Word): boolean {
  return DOTS.has(word.tail.charAt(0)) && !hasAny(word.tail.slice(1), TERMINATORS);
}

/** An opening mark starts something new: `"uses node." "likes tea."` are two sentences. */
function continuesInLowerCase(next: Word): boolean {
  return next.lead === '' && /^\p{Ll}/u.test(next.core);
}

function startsUpperCase(word: Word): boolean {
  return /^[^\p{L}\p{N}]*\p{Lu}/u.test(word.core);
}

function startsWithDigit(word: Word): boolean {
  return /^[^\p{L}\p{N}]*\p{N}/u.test(word.core);
}

function isAbbreviation(word: Word, next: Word, earlier: Word | undefined): boolean {
  const ending = lettersAtEnd(word.core);
  if (isListed(ending, LEADING_ABBREVIATIONS)) return true;
  if (isListed(ending, NUMBERED_ABBREVIATIONS) && startsWithDigit(next)) return true;
  if (isListed(ending, CLOSING_ABBREVIATIONS)) {
    return !startsUpperCase(next) || isClosingAbbreviation(next);
  }
  if (isListed(ending, NAME_ABBREVIATIONS) || DOTTED_INITIALS.test(ending)) {
    return !isSentenceOpener(next);
  }
  return isLoneInitial(word) && continuesInitial(next, earlier);
}

/** The letters and dots that end a run: `mid-Jan` gives `Jan`, and `non-U.S` gives `U.S`. */
function lettersAtEnd(core: string): string {
  let start = core.length;
  while (start > 0 && /[\p{L}.]/u.test(core.charAt(start - 1))) start -= 1;
  return core.slice(start);
}

/** Capitals alone make an acronym: `Lives in CA.` has no `ca.`, nor does `Uses VS.` have a `vs.`. */
function isListed(entry: string, list: ReadonlySet<string>): boolean {
  if (list.has(entry)) return true;
  return !ACRONYM.test(entry) && list.has(entry.toLowerCase());
}

/** Closing abbreviations come in rows, as in `Acme Co. Ltd.` and `Sat. Sun.`. */
function isClosingAbbreviation(word: Word): boolean {
  return hasOwnDot(word) && isListed(lettersAtEnd(word.core), CLOSING_ABBREVIATIONS);
}

function isLoneInitial(word: Word): boolean {
  return hasOwnDot(word) && LONE_INITIAL.test(word.core);
}

/** Lower case goes on only inside a row such as `z. B. hat`: `uses c. likes tea.` is two facts. */
function continuesInitial(next: Word, earlier: Word | undefined): boolean {
  if (startsWithDigit(next)) return true;
  if (startsUpperCase(next)) return !isSentenceOpener(next);
  return isLoneInitial(next) || (earlier !== undefined && isLoneInitial(earlier));
}

function isSentenceOpener(word: Word): boolean {
  if (!startsUpperCase(word) || isLoneInitial(word)) return false;
  const letters = /^\p{L}+/u.exec(word.core)?.[0] ?? '';
  return isListed(letters, SENTENCE_OPENERS);
}
