/** What any remembered text must satisfy before its own rules apply. Lengths are code points. */

/** The length that people and JSON Schema mean: an emoji counts once, not as two UTF-16 units. */
export function countChars(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Says what is wrong with a short text such as a name or a type; undefined when nothing is. */
export function findTextProblem(value: unknown, charsMax: number): string | undefined {
  if (value === undefined || value === null) return 'Missing.';
  if (typeof value !== 'string') return `Expected text, got ${nameType(value)}.`;
  const chars = countChars(value.normalize('NFC').trim());
  if (chars === 0) return 'Empty.';
  if (chars > charsMax) return `Too long (${chars} chars). Max ${charsMax} chars.`;
  return findCharacterProblem(value);
}

/** Broken Unicode cannot be stored faithfully, and control characters cannot be named again. */
export function findCharacterProblem(text: string): string | undefined {
  if (!text.isWellFormed()) return 'Contains half of a surrogate pair, which is not valid Unicode.';
  // eslint-disable-next-line no-control-regex -- Control characters are what is looked for.
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/u.test(text)) {
    return 'Contains control characters.';
  }
  return undefined;
}

/**
 * Text that is logged as it came, in the form in which it can be stored, exported and imported again:
 * U+0000, which would end it where SQLite reads it, and halves of surrogate pairs become U+FFFD.
 */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Whether U+0000 is in a text of a JSON value, its keys included. */
export function hasNull(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => key.includes('\0') || hasNull(inner));
}

/** Whether a number of a JSON value is one that JSON cannot write again, such as 1e400: it would become null. */
export function hasInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasInfinity);
}

/** Whether a JSON value has more levels of objects and lists than that. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** Says what is wrong with an optional number from 0 to 1; undefined when nothing is. */
export function findUnitProblem(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value >= 0 && value <= 1) return undefined;
  return typeof value === 'number'
    ? `${value} is not between 0 and 1.`
    : `Expected a number from 0 to 1, got ${nameType(value)}.`;
}

export function nameType(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  // What the parser of JSON makes of 1e400.
  if (value === Infinity || value === -Infinity) return 'a number beyond 1.8e308';
  return typeof value === 'string' ? 'text' : `a ${typeof value}`;
}
