/**
 * The summarizer that needs no model: what was said most centrally, in the words in which it was
 * said. The same turns give the same summary everywhere. `docs/use/summaries.md` says how.
 */
import { splitSentences } from '#graph/rules/sentences.ts';
import type { SummaryContent } from '#graph/summary.ts';
import type { TurnTexts } from '#graph/turn.ts';
import { SESSIONS_PER_CALL_MAX, SUMMARY_SENTENCES_MAX } from '#limits.ts';
import { findCategory } from './category.ts';
import { rankByCentrality, similarityOf } from './central-sentences.ts';
import { scoreSession } from './scores.ts';
import { toSummary, toTechnologies, toTitle } from './summary-text.ts';
import { findTechnologies } from './technologies.ts';
import type { Summarizer } from './summarizer.ts';
import { contentWordsOf } from './words.ts';

const EXTRACTIVE = 'extractive';

/** Sentences that are compared with each other, which takes time by the square of their number. */
const SENTENCES_COMPARED_MAX = 120;
/** A sentence that is longer is a list or a dump. */
const SENTENCE_CHARS_MAX = 400;
/** Fewer words that mean anything make no sentence ("Thanks!", "Go on."). */
const SENTENCE_WORDS_MIN = 2;
/** A sentence that repeats one already taken adds nothing. */
const REPEATED_FROM = 0.6;
/** A request says in one sentence what a session is about more often than a reply does. */
const PROMPT_FAVOUR = 1.5;

export function extractiveSummarizer(): Summarizer {
  return {
    name: EXTRACTIVE,
    sessionsPerCall: SESSIONS_PER_CALL_MAX,
    summarize: (turns) => Promise.resolve({ content: extract(turns), madeBy: EXTRACTIVE }),
  };
}

interface Sentence {
  readonly text: string;
  readonly isPrompt: boolean;
}

interface RankedSentence extends Sentence {
  readonly place: number;
  readonly rank: number;
}

function extract(turns: readonly TurnTexts[]): SummaryContent {
  const sentences = takeEvenly(turns.flatMap(sentencesOf), SENTENCES_COMPARED_MAX);
  const ranks = rankByCentrality(sentences.map(({ text }) => text));
  const ranked = sentences
    .map((sentence, place) => ({ ...sentence, place, rank: ranks[place] ?? 0 }))
    .toSorted((a, b) => b.rank - a.rank || a.place - b.place);
  const category = findCategory(turns);
  const technologies = toTechnologies(findTechnologies(turns.map(joinTexts).join('\n')));
  const central = chooseCentral(ranked).map(({ text }) => endSentence(text));
  return {
    title: toTitle(findTitle(ranked) ?? firstText(turns)),
    summary: toSummary(central.length > 0 ? central.join(' ') : firstText(turns)),
    category,
    ...scoreSession(turns, category, technologies),
    technologies,
  };
}

const CODE_BLOCK = /```[^]*?(?:```|$)/gu;
/** Signs of Markdown before a line: headings, lists, quotes. */
const LINE_SIGNS = /^[\s>#*+-]+/u;

function sentencesOf({ prompt, response }: TurnTexts): Sentence[] {
  const read = (text: string, isPrompt: boolean) =>
    splitSentences(text.replace(CODE_BLOCK, '\n'))
      .map((sentence) => sentence.replace(LINE_SIGNS, '').trim())
      .filter((sentence) => sentence.length <= SENTENCE_CHARS_MAX)
      .filter((sentence) => contentWordsOf(sentence).length >= SENTENCE_WORDS_MIN)
      .map((sentence) => ({ text: sentence, isPrompt }));
  return [...read(prompt, true), ...read(response, false)];
}

/** So many of the items, from the beginning to the end. */
function takeEvenly<Item>(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items;
  const step = items.length / most;
  return items.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}

/** The most central sentences that do not repeat each other, in the order in which they were said. */
function chooseCentral(ranked: readonly RankedSentence[]): readonly RankedSentence[] {
  const chosen: RankedSentence[] = [];
  for (const sentence of ranked) {
    if (chosen.length === SUMMARY_SENTENCES_MAX) break;
    const isRepeated = chosen.some(
      ({ text }) => similarityOf(text, sentence.text) >= REPEATED_FROM,
    );
    if (!isRepeated) chosen.push(sentence);
  }
  return chosen.toSorted((a, b) => a.place - b.place);
}

/** What stood on a line of its own may have no end of its own. */
function endSentence(text: string): string {
  return /[\p{L}\p{N}]$/u.test(text) ? `${text}.` : text;
}

/** What is most central, requests before replies. */
function findTitle(ranked: readonly RankedSentence[]): string | undefined {
  const favoured = ({ rank, isPrompt }: RankedSentence) => rank * (isPrompt ? PROMPT_FAVOUR : 1);
  return ranked.toSorted((a, b) => favoured(b) - favoured(a) || a.place - b.place)[0]?.text;
}

function firstText(turns: readonly TurnTexts[]): string {
  const texts = turns.flatMap(({ prompt, response, thought }) => [prompt, response, thought]);
  return texts.find((text) => text.trim() !== '') ?? '';
}

function joinTexts({ prompt, thought, response }: TurnTexts): string {
  return [prompt, thought, response].join('\n');
}
