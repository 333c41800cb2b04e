/** Scores of a session from 0 to 100, by counting. `docs/use/summaries.md` states them; keep both the same. */
import type { SummaryCategory, SummaryContent } from '#graph/summary.ts';
import type { TurnTexts } from '#graph/turn.ts';
import { countMatches, wordsOf } from './words.ts';

type Scores = Pick<SummaryContent, 'quality' | 'productivity' | 'impact' | 'complexity'>;

const DONE =
  /\b(?:done|added|built|changed|completed|created|deleted|deployed|documented|extracted|finished|fixed|implemented|improved|installed|merged|migrated|moved|refactored|released|removed|renamed|replaced|resolved|solved|tested|updated|verified|works?|wrote|written)\b/giu;
const CHECKED =
  /\b(?:tests?|tested|verif(?:y|ied|ies)|pass(?:es|ed|ing)?|checked|confirm(?:s|ed)?|covered|reviewed|green)\b/giu;
const DOUBTFUL =
  /\b(?:fail(?:s|ed|ing|ures?)?|errors?|broken|unable|cannot|can't|could not|couldn't|did not|didn't|not sure|unsure|unclear|stuck|gave up|sorry|blocked|timed? ?out)\b/giu;
const WEIGHTY =
  /\b(?:production|customers?|users?|security|vulnerabilit\w+|data loss|release(?:d|s)?|breaking|critical|outage|incidents?|performance|payments?|privacy|migrat\w+)\b/giu;
/** Names of files, calls, paths and identifiers. */
const IDENTIFIER = /\b\w+\.\w{1,4}\b|\b\w+\(\)|\b[a-z]+[A-Z]\w*|\b\w+_\w+|(?:\/[\w.-]+){2,}/gu;

const IMPACT_OF: Readonly<Record<SummaryCategory, number>> = {
  'new-app': 40,
  feature: 30,
  bugfix: 30,
  refactoring: 20,
  documentation: 15,
  analysis: 15,
  other: 5,
};

/** The last turns tell how a session ended. */
const LAST_TURNS = 3;

export function scoreSession(
  turns: readonly TurnTexts[],
  category: SummaryCategory,
  technologies: readonly string[],
): Scores {
  const responses = turns.map(({ response }) => response);
  const share = (has: (turn: TurnTexts) => boolean) => turns.filter(has).length / turns.length;
  const text = turns.flatMap(({ prompt, response }) => [prompt, response]).join('\n');
  const ending = responses.slice(-LAST_TURNS).join('\n');
  const done = responses.filter((response) => countMatches(response, DONE) > 0).length;
  return {
    quality: toScore(
      40 +
        20 * share(({ response }) => response.trim() !== '') +
        10 * share(({ thought }) => thought.trim() !== '') +
        atMost(30, 5 * countMatches(responses.join('\n'), CHECKED)) -
        atMost(30, 10 * countMatches(ending, DOUBTFUL)),
    ),
    productivity: toScore(20 + (80 * done) / turns.length),
    impact: toScore(
      15 +
        IMPACT_OF[category] +
        atMost(20, 4 * technologies.length) +
        atMost(25, 5 * countMatches(text, WEIGHTY)),
    ),
    complexity: toScore(
      5 +
        atMost(30, 3 * turns.length) +
        atMost(30, 10 * Math.log10(1 + wordsOf(text).length / 20)) +
        atMost(20, 4 * technologies.length) +
        atMost(15, countMatches(text, IDENTIFIER) / 2),
    ),
  };
}

function atMost(limit: number, value: number): number {
  return Math.min(limit, value);
}

function toScore(value: number): number {
  return Math.round(Math.min(100, Math.max(0, value)));
}
