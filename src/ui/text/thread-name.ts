/** Names that a thread may have, as the server reads them. */

const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._:@~+-]*$/u;
const CHARS_MAX = 128;

/** What is wrong with a name for a new thread; undefined for a good one. */
export function nameFault(name: string): string | undefined {
  if (name === '') return 'Give it a name, such as my-project.';
  if (name.length > CHARS_MAX) return `The name is longer than ${CHARS_MAX} characters.`;
  if (!NAME.test(name)) {
    return 'Use letters, digits and . _ : @ ~ + - only, with a letter or a digit first.';
  }
  return undefined;
}
