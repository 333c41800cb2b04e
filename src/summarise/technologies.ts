/** Which technologies a text names: names that are hardly ever anything else, and endings of files. */
import { lazy } from '#graph/lazy.ts';
import { SUMMARY_TECHNOLOGIES_MAX } from '#limits.ts';
import { countMatches } from './words.ts';

/**
 * As a summary names them, each with the ways to write it. Where a name is an ordinary word as well
 * (Go, Swift, Spring), only a form that is not stands here.
 */
const NAMES: Readonly<Record<string, string>> = {
  angular: 'angular(?:js)?',
  'apache kafka': 'kafka',
  aws: 'aws|amazon web services|lambda functions?',
  azure: 'azure',
  bash: 'bash',
  bigquery: 'bigquery',
  bun: 'bun\\.(?:sh|js)|bun (?:install|run|test)',
  c: 'libc|gcc',
  'c#': 'c#|csharp',
  'c++': 'c\\+\\+|cpp',
  chromadb: 'chroma ?db',
  clickhouse: 'clickhouse',
  'cloudflare workers': 'cloudflare(?: workers?)?|wrangler|durable objects?',
  css: 'css',
  deno: 'deno',
  django: 'django',
  docker: 'docker(?:file)?|docker[- ]compose',
  dotnet: '\\.net(?: core)?|dotnet|asp\\.net',
  duckdb: 'duckdb',
  elasticsearch: 'elastic ?search',
  elixir: 'elixir',
  eslint: 'eslint',
  express: 'express\\.?js',
  falkordb: 'falkordb',
  fastapi: 'fastapi',
  figma: 'figma',
  firebase: 'firebase',
  flask: 'flask',
  flutter: 'flutter',
  git: 'git',
  'github actions': 'github actions?',
  go: 'golang',
  graphql: 'graphql',
  haskell: 'haskell',
  helm: 'helm charts?',
  hono: 'hono',
  html: 'html5?',
  java: 'java',
  javascript: 'javascript|ecmascript',
  jest: 'jest',
  jquery: 'jquery',
  json: 'json(?:l|5)?',
  kotlin: 'kotlin',
  kubernetes: 'kubernetes|k8s|kubectl',
  langchain: 'langchain',
  laravel: 'laravel',
  linux: 'linux|ubuntu|debian',
  markdown: 'markdown',
  mcp: 'mcp|model context protocol',
  mongodb: 'mongo ?db|mongoose',
  mysql: 'mysql|mariadb',
  'neo.mjs': 'neo\\.mjs',
  neo4j: 'neo4j',
  nestjs: 'nest\\.?js',
  nextjs: 'next\\.?js',
  nginx: 'nginx',
  nodejs: 'node\\.?js',
  npm: 'npm',
  numpy: 'numpy',
  oauth: 'oauth(?: ?2(?:\\.\\d)?)?',
  openapi: 'openapi|swagger',
  pandas: 'pandas',
  perl: 'perl',
  php: 'php',
  playwright: 'playwright',
  postgresql: 'postgres(?:ql)?',
  powershell: 'powershell',
  prisma: 'prisma',
  prometheus: 'prometheus',
  pytest: 'pytest',
  python: 'python',
  pytorch: 'pytorch',
  rabbitmq: 'rabbitmq',
  rails: 'ruby on rails|rails',
  react: 'react(?:\\.?js)?',
  redis: 'redis',
  redux: 'redux',
  ruby: 'ruby',
  rust: 'rustc?|cargo (?:build|test|run)',
  sass: 'scss|sass',
  scala: 'scala',
  'scikit-learn': 'scikit-learn|sklearn',
  snowflake: 'snowflake',
  'spring boot': 'spring boot',
  sql: 'sql',
  sqlite: 'sqlite3?',
  svelte: 'svelte(?:kit)?',
  swiftui: 'swiftui',
  tailwind: 'tailwind(?: ?css)?',
  tensorflow: 'tensorflow(?:\\.js)?',
  terraform: 'terraform',
  typescript: 'typescript',
  unity: 'unity3d',
  vite: 'vite(?:\\.?js)?',
  vitest: 'vitest',
  vue: 'vue(?:\\.?js)?',
  webassembly: 'webassembly|wasm',
  webpack: 'webpack',
  websocket: 'websockets?',
  yaml: 'ya?ml',
};

/** Endings of file names, such as `main.py`. */
const ENDINGS: Readonly<Record<string, string>> = {
  'c#': 'cs',
  'c++': 'cpp|cc|hpp',
  css: 'css',
  go: 'go',
  html: 'html',
  java: 'java',
  javascript: 'js|mjs|cjs|jsx',
  json: 'json|jsonl',
  kotlin: 'kt',
  markdown: 'md',
  php: 'php',
  python: 'py|ipynb',
  ruby: 'rb',
  rust: 'rs',
  sql: 'sql',
  swift: 'swift',
  typescript: 'ts|tsx|mts',
  webassembly: 'wasm',
  yaml: 'yml|yaml',
};

const BEFORE = String.raw`(?<![\p{L}\p{N}_.])`;
const AFTER = String.raw`(?![\p{L}\p{N}_])`;

/** Some hundred patterns, for the few calls that summarise. */
const patterns = lazy(() => ({
  names: Object.entries(NAMES).map(
    ([name, forms]) => [name, new RegExp(`${BEFORE}(?:${forms})${AFTER}`, 'giu')] as const,
  ),
  endings: Object.entries(ENDINGS).map(
    ([name, forms]) =>
      [name, new RegExp(String.raw`[\p{L}\p{N}_-]\.(?:${forms})${AFTER}`, 'gu')] as const,
  ),
}));

/** Those named most often first, then in order of the alphabet. */
export function findTechnologies(text: string): string[] {
  const mentions = new Map<string, number>();
  const mention = (name: string, count: number) => {
    if (count > 0) mentions.set(name, (mentions.get(name) ?? 0) + count);
  };
  // A name that looks like a file, such as Node.js, is none.
  let rest = text;
  for (const [name, pattern] of patterns().names) {
    mention(name, countMatches(text, pattern));
    rest = rest.replace(pattern, ' ');
  }
  for (const [name, pattern] of patterns().endings) mention(name, countMatches(rest, pattern));
  return [...mentions]
    .toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, SUMMARY_TECHNOLOGIES_MAX)
    .map(([name]) => name);
}
