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
  return typeof value === 'string' ? 'text' : `a ${typeof value}`;
}
