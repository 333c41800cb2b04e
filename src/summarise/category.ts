/** What kind of work a session was, by the words that its turns use. */
import type { SummaryCategory } from '#graph/summary.ts';
import type { TurnTexts } from '#graph/turn.ts';
import { countMatches } from './words.ts';

/** Ordered: of two that are named as often, the first is taken. */
const SIGNS: readonly (readonly [Exclude<SummaryCategory, 'other'>, RegExp])[] = [
  [
    'new-app',
    /\b(?:scaffold\w*|bootstrap(?:ped|ping)?|boilerplate|prototype\w*|from scratch|starter (?:kit|project|template)|new (?:app|application|project|site|website|game|service)|(?:build|create|make|start) (?:me )?an? (?:\w+ ){0,3}(?:app|application|website|game))\b/giu,
  ],
  [
    'refactoring',
    /\b(?:refactor\w*|renam(?:e|ed|es|ing)|restructur\w*|simplif\w*|clean(?:ed|ing)? ?up|dedup\w*|extract(?:ed|ing)? (?:an? |the )?(?:function|method|class|module|component|file)s?|split (?:up )?(?:the |into )|moderni[sz]\w*|dead code|tech(?:nical)? debt)\b/giu,
  ],
  [
    'documentation',
    /\b(?:docs?|document(?:ed|ing|ation)?|readme|changelog|tutorial|guides?|docstrings?|jsdoc|typedoc|comments?)\b/giu,
  ],
  [
    'bugfix',
    /\b(?:bugs?|bug ?fix\w*|fix(?:es|ed|ing)?|error(?:s|ed)?|crash\w*|fail(?:s|ed|ing|ures?)?|broken|breaks?|regressions?|exceptions?|hot ?fix|debug\w*|stack ?traces?|wrong(?:ly)?|incorrect(?:ly)?|leaks?|race conditions?|does ?n[o']t work|not working)\b/giu,
  ],
  [
    'feature',
    /\b(?:features?|add(?:s|ed|ing)?|implement\w*|support(?:s|ed|ing)?|introduc\w*|enabl(?:e|ed|es|ing)|extend(?:s|ed|ing)?|integrat\w*|new (?:option|button|page|endpoint|field|tool|command|parameter|column|screen))\b/giu,
  ],
  [
    'analysis',
    /\b(?:analy[sz]\w*|investigat\w*|compar(?:e|ed|es|ing|isons?)|evaluat\w*|review(?:ed|ing|s)?|profil(?:e|ed|ing)|benchmark\w*|measur\w*|research\w*|audit\w*|explain\w*|estimat\w*|why|root cause|trade-?offs?|pros and cons)\b/giu,
  ],
];

/** What was asked for says more about the kind of work than what was answered. */
const PROMPT_WEIGHT = 3;

/** `other` when no sign of any kind is there. */
export function findCategory(turns: readonly TurnTexts[]): SummaryCategory {
  let best: SummaryCategory = 'other';
  let most = 0;
  for (const [category, signs] of SIGNS) {
    const weight = turns.reduce(
      (sum, { prompt, response }) =>
        sum + PROMPT_WEIGHT * countMatches(prompt, signs) + countMatches(response, signs),
      0,
    );
    if (weight > most) [best, most] = [category, weight];
  }
  return best;
}
