/** What the configuration says before anybody deploys it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { Ajv } from 'ajv';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'smol-toml';
import type { Unstable_RawConfig } from 'wrangler';
import { OWNER_PASSPHRASE_CHARS_MIN } from '#auth/limits.ts';
import { readLimits, type Vars } from '#env.ts';
import { ROOT } from '../../scripts/support/dev-server.ts';

let config: Unstable_RawConfig;
let production: NonNullable<Unstable_RawConfig['env']>[string];
beforeAll(() => {
  config = parse(readFileSync(join(ROOT, 'wrangler.toml'), 'utf8'));
  production = config.env?.['production'] ?? {};
});

test('wrangler.toml is what the schema of wrangler allows', () => {
  const file = join(ROOT, 'node_modules/wrangler/config-schema.json');
  const schema = JSON.parse(readFileSync(file, 'utf8')) as object;
  // The schema has annotations for editors that are no keywords.
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);

  validate(config);
  expect(validate.errors ?? []).toEqual([]);
  expect(validate({ ...config, limits: { cpu: 1 } })).toBe(false);
});

test('production repeats every binding and migration of the top level', () => {
  const repeated = [
    'assets',
    'durable_objects',
    'kv_namespaces',
    'migrations',
    'r2_buckets',
    'ratelimits',
    'triggers',
  ] as const;
  const withoutIds = (value: unknown) =>
    JSON.parse(JSON.stringify(value ?? null, (key, inner) => (key === 'id' ? '' : inner)));

  for (const key of repeated) expect(withoutIds(production[key])).toEqual(withoutIds(config[key]));
  // What is said once and holds for both, or is read at the top alone.
  const inherited = [
    'alias',
    'compatibility_date',
    'compatibility_flags',
    'env',
    'keep_names',
    'main',
    'minify',
    'name',
    'send_metrics',
    'upload_source_maps',
    'vars',
  ];
  expect(Object.keys(config).toSorted()).toEqual(
    [...inherited, ...repeated.filter((key) => key in config)].toSorted(),
  );
});

test('production has the vars of the top level with their values, and names models', () => {
  const { EMBEDDING_MODEL, SUMMARY_MODEL, ...vars } = production.vars ?? {};

  expect(vars).toEqual(config.vars);
  expect([EMBEDDING_MODEL, SUMMARY_MODEL]).toEqual(['', '']);
  expect(() => readLimits(vars as Vars)).not.toThrow();
});

test('production alone has Workers AI, the longest CPU time, and logs without queries', () => {
  const own = Object.keys(production).filter((key) => !(key in config));

  expect(own.toSorted()).toEqual(['ai', 'limits', 'observability', 'preview_urls', 'workers_dev']);
  expect(production.limits).toEqual({ cpu_ms: 300_000 });
  expect(production.observability).toMatchObject({ enabled: true, redact_query_string: true });
  expect(production.preview_urls).toBe(false);
});

test('the documentation names every variable of production', () => {
  const page = readFileSync(join(ROOT, 'docs/use/deploy.md'), 'utf8');
  const missing = Object.keys(production.vars ?? {}).filter(
    (name) => !page.includes(`\`${name}\``),
  );

  expect(missing).toEqual([]);
});

test('the template has nobody else’s ids', () => {
  expect(production.kv_namespaces?.map(({ id }) => id)).toEqual(['0'.repeat(32)]);
  expect(config.account_id ?? production.account_id).toBeUndefined();
});

test('the button asks for every secret, and the value that it proposes opens nothing', () => {
  const proposed = parseEnv(readFileSync(join(ROOT, '.dev.vars.example'), 'utf8'));
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    cloudflare: { bindings: Record<string, { description: string }> };
  };

  expect(Object.keys(proposed)).toEqual(['OWNER_PASSPHRASE']);
  expect(proposed['OWNER_PASSPHRASE']?.length).toBeLessThan(OWNER_PASSPHRASE_CHARS_MIN);
  const known = new Set([
    ...Object.keys(proposed),
    ...(config.kv_namespaces ?? []).map(({ binding }) => binding),
    ...(config.r2_buckets ?? []).map(({ binding }) => binding),
  ]);
  const described = Object.keys(manifest.cloudflare.bindings);
  expect(described.filter((name) => !known.has(name))).toEqual([]);
});
