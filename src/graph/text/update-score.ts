/** How likely one statement makes an older one outdated. What was measured: docs/contributing/search.md. */
import { sharedSubject } from './subject.ts';

/** Both statements are about the same. */
const SUBJECT_WEIGHT = 0.2;
/** The newer one says that something is not as it was. */
const CHANGE_WEIGHT = 0.2;

/** What is added to a cosine at most. */
export const UPDATE_BONUS_MAX = SUBJECT_WEIGHT + CHANGE_WEIGHT;

/** A cosine alone takes `Tom lives in Berlin` for news of Anna, and misses `User moved to Austin`. */
export function scoreUpdate(cosine: number, older: string, newer: string): number {
  const change = speaksOfChange(newer) ? CHANGE_WEIGHT : 0;
  return cosine + SUBJECT_WEIGHT * sharedSubject(older, newer) + change;
}

/** English words of change; a statement in another language is judged without them. */
const CHANGES = new RegExp(
  `\\b(?:${[
    'again|any ?more|back from|instead|newly|new|no longer|now|only|since',
    'became|began|changed|died|got|graduated|left|moved|relocated|started|stopped|switched|turned',
    'broke up|divorced|gave up|given up|quit|sold',
    'cancell?ed|cut|downgraded|extended|fixed|has been|migrated|postponed|raised|renamed|repaired|replaced|rewritten|updated|upgraded',
    'decreased|fell|increased|rose|went down|went up',
  ].join('|')})\\b`,
  'iu',
);

function speaksOfChange(text: string): boolean {
  return CHANGES.test(text);
}
