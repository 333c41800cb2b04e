/** The bounds that every summary keeps, whoever writes it. */
import { toLine } from '#graph/text/excerpt.ts';
import {
  SUMMARY_CHARS_MAX,
  SUMMARY_TECHNOLOGIES_MAX,
  SUMMARY_TITLE_CHARS_MAX,
  SUMMARY_TITLE_WORDS_MAX,
} from '#limits.ts';

const TECHNOLOGY_CHARS_MAX = 50;
const UNTITLED = 'Untitled session';

/** One line of at most ten words, without a full stop. */
export function toTitle(text: string): string {
  const words = toLine(text).split(/\s+/u).filter(Boolean);
  const title = cut(words.slice(0, SUMMARY_TITLE_WORDS_MAX).join(' '), SUMMARY_TITLE_CHARS_MAX);
  const bare = title.replace(/[\s.,;:!?…-]+$/u, '');
  return bare === '' ? UNTITLED : bare.charAt(0).toUpperCase() + bare.slice(1);
}

/** One line, so that it can be neither mistaken for several things nor for a frame around them. */
export function toSummary(text: string): string {
  return cut(toLine(text), SUMMARY_CHARS_MAX);
}

/** In small letters, each once. */
export function toTechnologies(names: readonly string[]): string[] {
  const lines = names.map((name) => cut(toLine(name).toLowerCase(), TECHNOLOGY_CHARS_MAX));
  return [...new Set(lines.filter((name) => name !== ''))].slice(0, SUMMARY_TECHNOLOGIES_MAX);
}

/** None of the characters halved. */
export function cut(text: string, charsMax: number): string {
  const chars = Array.from(text);
  return chars.length <= charsMax
    ? text
    : `${chars
        .slice(0, charsMax - 1)
        .join('')
        .trimEnd()}…`;
}
