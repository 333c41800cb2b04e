/** What a node says, as the embedder reads it. Measured in docs/contributing/search.md: names help, dates do not. */

/** A text that may be found, with the name of what it is about. */
export interface Passage {
  readonly kind: 'entity' | 'fact' | 'turn' | 'summary';
  /** Name of the entity; '' where there is none. */
  readonly title: string;
  readonly body: string;
}

export function writePassage({ kind, title, body }: Passage): string {
  if (kind === 'entity') return `${title}, ${body}`;
  // The title of these in the text indexes is no text (see `store/search/session-scope.ts`).
  if (kind !== 'fact') return withoutLeadingDate(body);
  const text = withoutLeadingDate(body);
  return title === '' ? text : `${title}: ${text}`;
}

/**
 * Characters of each text of a turn that its vector is made of, in this order. A turn may be a
 * hundred thousand characters and has one vector; a model reads some hundred characters (embedded) to
 * some thousand (Workers AI). How a question and its answer begin says what both are about; every
 * word of all three is found by the full text.
 */
export const TURN_HEAD_CHARS = { prompt: 300, response: 1_700, thought: 1_000 } as const;

const MONTHS = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';

/** A date or time that a text begins with, such as `1:56 pm on 8 May, 2023. `, `[2024-06-15] `. */
const LEADING_DATE = new RegExp(
  String.raw`^[\[(]?(?:\d{1,2}:\d{2}(?::\d{2})?\s*(?:am|pm)?[\s,]*(?:on\s+)?)?` +
    String.raw`(?:\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?Z?)?|\d{1,2}\s+(?:${MONTHS})[a-z]*\.?,?\s+\d{4}|(?:${MONTHS})[a-z]*\.?\s+\d{1,2},?\s+\d{4})[\])]?[\s.,:;–-]+`,
  'i',
);

/** When something was said is the full text's job: in a vector a date drowns what was said. */
function withoutLeadingDate(text: string): string {
  const rest = text.replace(LEADING_DATE, '');
  return rest === '' ? text : rest;
}
