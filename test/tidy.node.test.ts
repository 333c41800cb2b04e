/** The rules of the house. Each message says what to do about it. */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { MIGRATIONS } from '#store/schema/migrations/list.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FUNCTION_LINES_MAX = 70;
const FILE_LINES_MAX = 400;
const FOLDER_FILES_MAX = 24;
const VAGUE_NAMES = new Set([
  'utils',
  'helpers',
  'common',
  'manager',
  'service',
  'handler',
  'impl',
  'base',
]);

interface SourceFile {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const files = readFiles();
const sources = files.filter(({ path }) => /^src\/.+\.tsx?$/.test(path));
const tests = files.filter(({ path }) => /^test\/.+\.ts$/.test(path));

test('functions and files are short enough to be read at once', () => {
  const longFiles = sources
    .filter(({ text }) => countLines(text) > FILE_LINES_MAX)
    .map(({ path }) => `${path}: split it, ${FILE_LINES_MAX} lines are the most.`);
  const longFunctions = sources.flatMap(({ path, text }) =>
    measureFunctions(text, path.endsWith('.tsx') ? 'tsx' : 'ts')
      .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
      .map(
        ({ name, lines }) => `${path}: cut ${name} from ${lines} to ${FUNCTION_LINES_MAX} lines.`,
      ),
  );

  expect([...longFiles, ...longFunctions]).toEqual([]);
});

test('a folder holds no more files than a reader takes in', () => {
  const counts = Map.groupBy(sources, ({ path }) => dirname(path));
  const crowded = Array.from(counts)
    .filter(([, held]) => held.length > FOLDER_FILES_MAX)
    .map(([folder, held]) => `${folder}: ${held.length} files; make a room of some of them.`);

  expect(counts.size).toBeGreaterThan(20);
  expect(crowded).toEqual([]);
});

test('files are named in kebab-case for what is in them', () => {
  const named = files.filter(({ path }) => /^(?:bench|scripts|src|test)\/.+\.tsx?$/.test(path));
  const faults = named.flatMap(({ path }) => {
    const words = basename(path)
      .replace(/(?:\.node)?(?:\.(?:bench|config|d|test))?\.tsx?$/, '')
      .split('-');
    const vague = words.filter((word) => VAGUE_NAMES.has(word));
    return [
      ...vague.map((word) => `${path}: name it for what is in it; ${word} says nothing.`),
      ...(words.every((word) => /^[a-z\d]+$/.test(word)) ? [] : [`${path}: use kebab-case.`]),
    ];
  });

  expect(faults).toEqual([]);
});

test('what is left to do has an issue', () => {
  const code = files.filter(({ path }) => /^(?:bench|scripts|src|test)\//.test(path));
  const pattern = /\b(?:TODO|FIXME)\b(?! ?\(#\d+\))/;

  expect(find(code, pattern, 'do it, or name the issue: TODO(#12).')).toEqual([]);
});

test('only the log module writes to the console', () => {
  const others = sources.filter(({ path }) => path !== 'src/thread/log.ts');

  expect(find(others, /\bconsole\./, 'use src/thread/log.ts.')).toEqual([]);
});

test('no test runs alone or not at all', () => {
  const pattern = /\b(?:describe|it|suite|test)(?:\.\w+)*\.(?:only|skip|todo)\b/;

  expect(find(tests, pattern, 'let all tests run.')).toEqual([]);
});

test('migrations are numbered in order, each number once', () => {
  const ids = MIGRATIONS.map(({ id }) => id);
  const numbers = ids.map((id) => id.slice(0, 4));

  expect(ids.filter((id) => !/^\d{4}_[a-z\d]+(?:_[a-z\d]+)*$/.test(id))).toEqual([]);
  expect(numbers).toEqual([...new Set(numbers)].toSorted());
});

test('no file names a machine or a package registry', () => {
  const others = files.filter(({ path }) => path !== 'package-lock.json');
  const machine = /(?<![\w.~-])\/(?:work|root|home\/\w+|Users\/\w+)\//;
  const registry = /\b(?:registry|artifactory|nexus|verdaccio)\.[\w-]+\.\w+|\bregistry ?= ?\S+\/\//;

  expect(find(others, machine, 'use a path from the root of the project.')).toEqual([]);
  expect(find(others, registry, 'leave the registry to the machine.')).toEqual([]);
});

test('dependencies have exact versions', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'];
  const versions: [string, string][] = kinds.flatMap((kind) =>
    Object.entries(manifest[kind] ?? {}),
  );
  const faults = versions
    .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
    .map(([name, version]) => `${name}: name one version instead of ${version}.`);

  expect(faults).toEqual([]);
});

/** Files that git does not ignore, with or without git. */
function readFiles(): SourceFile[] {
  const ignored = readFileSync(join(ROOT, '.gitignore'), 'utf8')
    .split('\n')
    .filter((line) => /^[^#]/.test(line));
  // In a second worktree `.git` is a file.
  const exclude = ['.git', '.git/', ...ignored].map((line) => `**/${line.replace(/\/$/, '/**')}`);
  return globSync(['**/*', '**/.*', '**/.*/**/*'], { cwd: ROOT, exclude, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({
      path: relative(ROOT, path).replaceAll('\\', '/'),
      text: readFileSync(path, 'utf8'),
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** One line for each line that the pattern finds; this file names what it looks for. */
function find(where: readonly SourceFile[], pattern: RegExp, advice: string): string[] {
  const others = where.filter(({ path }) => path !== 'test/tidy.node.test.ts');
  return others.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1}: ${advice}`] : [])),
  );
}

function countLines(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}

interface FunctionLength {
  readonly name: string;
  readonly lines: number;
}

interface AstNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly id?: { readonly name?: string } | null;
  readonly key?: { readonly name?: string };
}

/** The methods of an object count for themselves, and not for the function that makes the object. */
function measureFunctions(text: string, lang: 'ts' | 'tsx'): FunctionLength[] {
  const lengths: FunctionLength[] = [];
  const linesOf = ({ start, end }: AstNode) => countLines(text.slice(start, end));

  /** Visits a node and gives back the lines in it that count for themselves. */
  function visit(value: unknown, parent: string): number {
    if (typeof value !== 'object' || value === null) return 0;
    const node = isNode(value) ? value : undefined;
    const name = node?.id?.name ?? node?.key?.name ?? parent;
    const inside = Object.values(value).reduce<number>((sum, part) => sum + visit(part, name), 0);
    if (node === undefined || !FUNCTIONS.has(node.type)) {
      return node?.type === 'Property' && isFunction(node) ? linesOf(node) : inside;
    }
    lengths.push({ name, lines: linesOf(node) - inside });
    return inside;
  }

  // AssemblyScript's own: TypeScript has no decorators of functions.
  const typescript = text.replaceAll(/^@inline$/gm, '');
  visit(parseAst(typescript, { lang }), 'the module');
  return lengths;
}

const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionDeclaration', 'FunctionExpression']);

function isNode(value: object): value is AstNode {
  return 'type' in value && 'start' in value && 'end' in value;
}

function isFunction(property: object): boolean {
  const value: unknown = 'value' in property ? property.value : undefined;
  return typeof value === 'object' && value !== null && isNode(value) && FUNCTIONS.has(value.type);
}
