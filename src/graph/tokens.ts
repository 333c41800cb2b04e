/**
 * How many tokens a text costs a model, from above: one for three bytes of UTF-8. English needs
 * about one for four, Cyrillic one for three or four, Chinese and Japanese one for a character.
 */
const BYTES_PER_TOKEN = 3;

const ENCODER = new TextEncoder();

export function estimateTokens(text: string): number {
  return Math.ceil(ENCODER.encode(text).length / BYTES_PER_TOKEN);
}
