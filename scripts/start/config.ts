/** Reads what of a wrangler.toml the local server needs. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { z } from 'zod';
import { CommandError } from '../support/command-error.ts';

/** What the local server emulates. Anything else in the file is refused rather than left out in silence. */
const CONFIG = z.strictObject({
  name: z.string(),
  main: z.string(),
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()).default([]),
  vars: z.record(z.string(), z.string()).default({}),
  assets: z
    .strictObject({ directory: z.string(), binding: z.string(), run_worker_first: z.literal(true) })
    .optional(),
  triggers: z.strictObject({ crons: z.array(z.string()) }).default({ crons: [] }),
  kv_namespaces: z.array(z.strictObject({ binding: z.string(), id: z.string() })).default([]),
  r2_buckets: z.array(z.strictObject({ binding: z.string(), bucket_name: z.string() })).default([]),
  ratelimits: z
    .array(
      z.strictObject({
        name: z.string(),
        namespace_id: z.string(),
        simple: z.strictObject({
          limit: z.number(),
          period: z.union([z.literal(10), z.literal(60)]),
        }),
      }),
    )
    .default([]),
  durable_objects: z
    .strictObject({
      bindings: z.array(z.strictObject({ name: z.string(), class_name: z.string() })),
    })
    .default({ bindings: [] }),
  migrations: z
    .array(z.strictObject({ tag: z.string(), new_sqlite_classes: z.array(z.string()) }))
    .default([]),
  // Of the build, which wrangler makes.
  alias: z.unknown().optional(),
  keep_names: z.unknown().optional(),
  minify: z.unknown().optional(),
  // Of deployments alone.
  upload_source_maps: z.unknown().optional(),
  send_metrics: z.unknown().optional(),
  env: z.unknown().optional(),
});

/** Its paths are absolute. */
export type WorkerConfig = z.infer<typeof CONFIG> & {
  readonly path: string;
  /** Of the file. */
  readonly directory: string;
};

/** Throws a `CommandError` that names the entry which the local server does not know. */
export function readConfig(path: string): WorkerConfig {
  if (!existsSync(path)) throw new CommandError(`There is no configuration ${path}.`);
  const parsed = CONFIG.safeParse(parseFile(path));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue?.path.length ? `${issue.path.join('.')}: ` : '';
    throw new CommandError(
      `npm start cannot serve ${path}: ${place}${issue?.message}. npm run dev can.`,
    );
  }
  const config = parsed.data;
  const sqlite = new Set(config.migrations.flatMap((migration) => migration.new_sqlite_classes));
  const other = config.durable_objects.bindings.find((one) => !sqlite.has(one.class_name));
  if (other !== undefined) {
    throw new CommandError(`npm start cannot serve ${path}: ${other.class_name} has no SQLite.`);
  }
  const directory = dirname(path);
  const assets = config.assets && {
    ...config.assets,
    directory: resolve(directory, config.assets.directory),
  };
  return { ...config, path, directory, assets };
}

function parseFile(path: string): unknown {
  try {
    return parseToml(readFileSync(path, 'utf8'));
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n');
    throw new CommandError(`${path} is not valid TOML: ${reason}`, { cause: error });
  }
}
