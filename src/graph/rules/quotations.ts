/** Words of someone else within a text: what is between quotation marks belongs together. Linear in the text. */

/** What may close each opening mark, as each language has them: „…“, “…”, »…« and «…» among others. */
const CLOSERS: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '„': '“”',
  '‘': '’',
  '‚': '‘’',
  '«': '»',
  '»': '«',
  '‹': '›',
  '›': '‹',
  '「': '」',
  '『': '』',
  '《': '》',
  '〈': '〉',
};

/** These close nothing else, so that letters may touch them from either side. */
const BRACKETS = new Set('「『《〈');

/** French sets these apart from what they enclose. */
const SPACED = new Set('«‹');

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const BLANK_LINE = /\n\s*\n/u;

/** More is not a quotation but two marks that have nothing to do with each other. */
const QUOTATION_CHARS_MAX = 1_000;

/** The text between two marks: `start` is behind the opening one, `end` is at the closing one. */
interface Quotation {
  readonly start: number;
  readonly end: number;
}

/** Quotations that are not inside another, from left to right. An apostrophe or an inch sign opens none. */
export function findQuotations(text: string): Quotation[] {
  const closerOf = new Map<string, number>();
  const found: Quotation[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const mark = text.charAt(at);
    const closers = Object.hasOwn(CLOSERS, mark) ? CLOSERS[mark] : undefined;
    if (closers === undefined || !canOpen(text, at)) continue;
    const end = nextCloser(text, mark, closers, at + 1, closerOf);
    if (end === -1 || end - at > QUOTATION_CHARS_MAX) continue;
    if (BLANK_LINE.test(text.slice(at, end))) continue;
    found.push({ start: at + 1, end });
    at = end;
  }
  return found;
}

function canOpen(text: string, at: number): boolean {
  if (BRACKETS.has(text.charAt(at))) return true;
  const before = text.charAt(at - 1);
  const after = text.charAt(at + 1);
  return (
    !LETTER_OR_DIGIT.test(before) &&
    after !== '' &&
    (SPACED.has(text.charAt(at)) || !/\s/u.test(after))
  );
}

function canClose(text: string, at: number, mark: string): boolean {
  if (BRACKETS.has(mark)) return true;
  if (!SPACED.has(mark) && /\s/u.test(text.charAt(at - 1))) return false;
  return !LETTER_OR_DIGIT.test(text.charAt(at + 1));
}

/** The next mark that closes, or -1. Each kind is looked for once along the text, however many marks open. */
function nextCloser(
  text: string,
  mark: string,
  closers: string,
  from: number,
  closerOf: Map<string, number>,
): number {
  const known = closerOf.get(mark);
  if (known === -1 || (known !== undefined && known >= from)) return known;
  let at = from;
  while (at < text.length && !(closers.includes(text.charAt(at)) && canClose(text, at, mark))) {
    at += 1;
  }
  const found = at < text.length ? at : -1;
  closerOf.set(mark, found);
  return found;
}
