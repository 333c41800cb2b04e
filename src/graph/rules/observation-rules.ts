/** An observation is one atomic fact: short, and at most a sentence or two (seed 000, section 2). */
import { OBSERVATION_CHARS_MIN, type Limits } from '#limits.ts';
import { normaliseContent } from '#graph/fact.ts';
import { countSentences } from './sentences.ts';
import { splitObservation } from './split-observation.ts';
import { countChars, findCharacterProblem, nameType } from './text-rules.ts';

export interface ObservationProblem {
  /** The rule that was broken, as one sentence that stands alone. */
  readonly rule: string;
  /** What is wrong with this text, in the manner of the specification's error objects. */
  readonly problem: string;
  readonly suggestion: string;
}

/** Undefined for an observation that may be stored. */
export function findObservationProblem(
  value: unknown,
  limits: Limits,
): ObservationProblem | undefined {
  if (typeof value !== 'string') {
    const problem = `Expected text, got ${nameType(value)}.`;
    return { rule: `Observation must be text. ${problem}`, problem, suggestion: ONE_FACT };
  }
  const characters = findCharacterProblem(value);
  if (characters !== undefined) {
    return {
      rule: `Observation refused. ${characters}`,
      problem: characters,
      suggestion: 'Remove those characters and send the rest again.',
    };
  }
  const content = normaliseContent(value);
  const chars = countChars(content);
  if (chars < OBSERVATION_CHARS_MIN) return tooShort(chars);
  const sentences = countSentences(content);
  const problems = [
    ...(chars > limits.observationCharsMax ? [tooLong(chars, limits)] : []),
    ...(sentences > limits.observationSentencesMax ? [tooManySentences(sentences, limits)] : []),
  ];
  const [first] = problems;
  if (first === undefined) return undefined;
  return {
    rule: first.rule,
    problem: problems.map(({ problem }) => problem).join(' '),
    suggestion: suggestSplit(content, limits),
  };
}

/** Whether stored text keeps to the limits; what other toolsets store is counted, not refused. */
export function isAtomic(content: string, limits: Limits): boolean {
  return findObservationProblem(content, limits) === undefined;
}

const ONE_FACT = "Give one fact as text, such as 'Works at Google'.";

function tooShort(chars: number): ObservationProblem {
  return {
    rule: `Observation too short (${chars} chars). Min ${OBSERVATION_CHARS_MIN}.`,
    problem: `Too short (${chars} chars). Min ${OBSERVATION_CHARS_MIN} chars.`,
    suggestion: ONE_FACT,
  };
}

function tooLong(chars: number, { observationCharsMax: max }: Limits) {
  return {
    rule: `Observation too long (${chars} chars). Max ${max}. Split into multiple observations.`,
    problem: `Too long (${chars} chars). Max ${max} chars.`,
  };
}

function tooManySentences(sentences: number, { observationSentencesMax: max }: Limits) {
  return {
    rule: `Too many sentences (${sentences}). Max ${max}. One fact per observation.`,
    problem: `Too many sentences (${sentences}). Max ${max} sentence${max === 1 ? '' : 's'}.`,
  };
}

const PARTS_SHOWN_MAX = 4;

/** Shows the split where sentences or clauses give one; else says how to make it. */
function suggestSplit(content: string, limits: Limits): string {
  const parts = splitObservation(content, limits);
  if (parts === undefined) {
    const least = Math.max(2, Math.ceil(countChars(content) / limits.observationCharsMax));
    return `Split into ${least} or more observations of at most ${limits.observationCharsMax} chars, one fact each.`;
  }
  const shown = parts.slice(0, PARTS_SHOWN_MAX).map((part, index) => `${index + 1}) '${part}'`);
  const more = parts.length > PARTS_SHOWN_MAX ? ', …' : '';
  return `Split into ${parts.length} observations: ${shown.join(', ')}${more}`;
}
