/** The rules of pages in Markdown. Each message says what to do about it. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { anchorOf } from '../scripts/support/markdown.ts';

const ROOT = resolve(import.meta.dirname, '..');
const LINE_CHARS_MAX = 160;

interface Page {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

interface Line {
  readonly number: number;
  readonly text: string;
}

/** Old-fashioned or vague words, each with what to write instead. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:is|are|was|were) no (?!longer\b|more\b|later\b|earlier\b)/i, '"is not a", or a verb'],
  [/\b(?:stands?|stood)\b(?! for\b)/i, 'the verb that says what it does'],
  [/\bwhoever\b/i, '"callers", or the noun'],
  [/\banew\b/i, '"again"'],
  [/\bmend(?:s|ed|ing)?\b/i, '"fix"'],
  [/\bmeanwhile\b/i, '"in the meantime", or a new sentence'],
  [/\bbut for\b/i, '"except"'],
  [/\bof ours\b/i, '"our"'],
  [/\bso many\b/i, '"at most N"'],
  [/\bwants\b/i, '"needs"'],
  [/\b(?:none|nothing) but\b/i, '"only"'],
  [/\bThere is nothing\b/i, 'what there is'],
  [/\bNor\b/, 'a full sentence'],
  [/\bupkeep\b/i, '"job" (docs/glossary.md)'],
];

/** Texts of the tools, words that are listed to be avoided, and notes on what was. */
const NOT_PROSE = /^(?:docs\/use\/tools\/|docs\/glossary\.md|CHANGELOG\.md)/;

const pages = readPages();
const prose = pages.filter(({ path }) => !NOT_PROSE.test(path));

test('links lead to a file or a heading', () => {
  const faults = pages.flatMap((page) =>
    linksOf(page.text)
      .filter((link) => !leadsSomewhere(page, link))
      .map((link) => `${page.path}: fix the link to ${link}.`),
  );

  expect(pages.length).toBeGreaterThan(20);
  expect(faults).toEqual([]);
});

test('paths of the project that a page names exist', () => {
  const pattern = /`((?:\.ci|\.github|bench|docs|scripts|src|test)\/[\w./-]+)`/g;
  const faults = pages
    .filter(({ path }) => path !== 'CHANGELOG.md')
    .flatMap(({ path, text }) =>
      [...text.matchAll(pattern)]
        .map(([, named = '']) => named)
        .filter((named) => !existsSync(join(ROOT, named)))
        .map((named) => `${path}: ${named} does not exist.`),
    );

  expect(faults).toEqual([]);
});

test('a line of prose is one sentence, and not longer than an editor shows', () => {
  const faults = prose.flatMap(({ path, text }) =>
    proseOf(text)
      .filter((line) => !line.text.startsWith('|') && line.text.length > LINE_CHARS_MAX)
      .map(({ number }) => `${path}:${number}: cut it to ${LINE_CHARS_MAX} characters.`),
  );

  expect(faults).toEqual([]);
});

test('pages are in plain, current English', () => {
  const faults = prose.flatMap(({ path, text }) =>
    proseOf(text).flatMap((line) =>
      WORDS.filter(([pattern]) => pattern.test(withoutCode(line.text))).map(
        ([pattern, advice]) => `${path}:${line.number}: write ${advice}, not ${pattern.source}.`,
      ),
    ),
  );

  expect(faults).toEqual([]);
});

function readPages(): Page[] {
  const exclude = ['node_modules/**', 'dist/**', '.wrangler/**'];
  return globSync(['**/*.md', '.changeset/*.md', '.github/**/*.md'], { cwd: ROOT, exclude })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** The lines outside of blocks of code. */
function proseOf(markdown: string): Line[] {
  let isCode = false;
  return markdown.split('\n').flatMap((text, i) => {
    const isFence = /^\s*```/.test(text);
    if (isFence) isCode = !isCode;
    return isFence || isCode ? [] : [{ number: i + 1, text }];
  });
}

function withoutCode(text: string): string {
  return text.replaceAll(/`[^`\n]*`/g, 'code');
}

/** Targets of links and pictures outside of code. */
function linksOf(markdown: string): string[] {
  const text = withoutCode(
    proseOf(markdown)
      .map((line) => line.text)
      .join('\n'),
  );
  return [...text.matchAll(/\]\(\s*<?([^\s)>]+)>?[^)]*\)/g)].map(([, target = '']) => target);
}

function leadsSomewhere({ path, text }: Page, link: string): boolean {
  if (/^[a-z]+:/i.test(link)) return true;
  const [target = '', anchor] = decodeURI(link).split('#');
  const file = target === '' ? join(ROOT, path) : resolve(ROOT, dirname(path), target);
  if (!existsSync(file)) return false;
  if (anchor === undefined || !file.endsWith('.md')) return true;
  return anchorsOf(target === '' ? text : readFileSync(file, 'utf8')).includes(anchor);
}

/** A number tells a heading from an earlier one with the same text. */
function anchorsOf(markdown: string): string[] {
  const anchors = proseOf(markdown).flatMap(({ text }) => {
    const [, heading] = /^#+ +(.+)$/.exec(text) ?? [];
    return heading === undefined ? [] : [anchorOf(heading)];
  });
  return anchors.map((anchor, position) => {
    const earlier = anchors.slice(0, position).filter((one) => one === anchor).length;
    return earlier === 0 ? anchor : `${anchor}-${earlier}`;
  });
}
