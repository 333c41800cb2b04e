/**
 * What wrangler.toml says of production, and the few lines of it that a deployment writes. Wrangler
 * would write them itself, but not into a file with comments; so a line is replaced and read back.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { CommandError } from '../support/command-error.ts';

export const PRODUCTION = 'production';
export const NAMESPACE_BINDING = 'OAUTH_KV';
const BUCKET_BINDING = 'FILES';

export interface ProductionConfig {
  readonly worker: string;
  readonly accountId: string | undefined;
  /** `open`, `token`, `oauth`, or empty. */
  readonly authMode: string;
  /** Ids of namespaces that the file names, production's own first. */
  readonly namespaceIds: readonly string[];
  /** Names of buckets; the first is the one to be made if there is none. */
  readonly buckets: readonly string[];
}

/** The template's ids, which are none. */
const PLACEHOLDER = /^(?:0+|local)$/;

/** The part of the file that is read here. */
interface Section {
  readonly name?: string;
  readonly account_id?: string;
  readonly vars?: { readonly AUTH_MODE?: string };
  readonly kv_namespaces?: readonly { readonly binding: string; readonly id?: string }[];
  readonly r2_buckets?: readonly { readonly binding: string; readonly bucket_name?: string }[];
}

/**
 * Cloudflare's button writes what it has made to the top level of the file, of which production knows
 * nothing: so what stands there is looked at as well. Throws `CommandError` if it is no TOML.
 */
export function readProduction(file: string): ProductionConfig {
  const top = readToml(file);
  const production = top.env?.[PRODUCTION] ?? {};
  const sections = [production, top];
  return {
    worker: production.name ?? `${top.name ?? 'skein'}-${PRODUCTION}`,
    accountId: production.account_id ?? top.account_id,
    authMode: production.vars?.AUTH_MODE?.trim().toLowerCase() ?? '',
    namespaceIds: sections
      .flatMap(({ kv_namespaces = [] }) => kv_namespaces)
      .flatMap(({ binding, id }) => (binding === NAMESPACE_BINDING && id !== undefined ? [id] : []))
      .filter((id) => !PLACEHOLDER.test(id)),
    buckets: sections
      .flatMap(({ r2_buckets = [] }) => r2_buckets)
      .flatMap(({ binding, bucket_name: name }) =>
        binding === BUCKET_BINDING && name !== undefined ? [name] : [],
      ),
  };
}

/** Production alone has them; throws `CommandError` when the file does not have the line to be replaced. */
export function writeProduction(
  file: string,
  { namespaceId, bucket }: { readonly namespaceId: string; readonly bucket: string | undefined },
): void {
  let text = readFileSync(file, 'utf8');
  text = setInBinding(text, 'kv_namespaces', NAMESPACE_BINDING, 'id', namespaceId);
  if (bucket !== undefined) {
    text = setInBinding(text, 'r2_buckets', BUCKET_BINDING, 'bucket_name', bucket);
  }
  if (text !== readFileSync(file, 'utf8')) writeFileSync(file, text);
}

/** What an account may not have. */
export interface Omissions {
  /** R2 is not switched on. */
  readonly files: boolean;
  /** The Free plan takes no limit of its own. */
  readonly limits: boolean;
}

/** Runs `use` with a configuration that has everything but `omissions`, and which is gone afterwards. */
export async function withoutUnavailable<Value>(
  file: string,
  omissions: Omissions,
  use: (file: string) => Promise<Value>,
): Promise<Value> {
  if (!omissions.files && !omissions.limits) return use(file);
  let text = readFileSync(file, 'utf8');
  // What the top level has and production does not, wrangler takes for a mistake.
  if (omissions.files) {
    text = removeSections(text, ['[[r2_buckets]]', `[[env.${PRODUCTION}.r2_buckets]]`]);
  }
  if (omissions.limits) text = removeSections(text, [`[env.${PRODUCTION}.limits]`]);
  // Beside the original, since paths in it are relative.
  const reduced = join(dirname(file), 'wrangler.reduced.toml');
  writeFileSync(reduced, text);
  try {
    return await use(reduced);
  } finally {
    rmSync(reduced, { force: true });
  }
}

function readToml(file: string): Section & { readonly env?: Readonly<Record<string, Section>> } {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : '', { cause: error });
  }
}

/** A section is what stands from a header to the next one. */
function splitSections(text: string): string[] {
  return text.split(/^(?=\[)/m);
}

function headerOf(section: string): string {
  return /^\[.*\]/.exec(section)?.[0] ?? '';
}

function removeSections(text: string, headers: readonly string[]): string {
  return splitSections(text)
    .filter((section) => !headers.includes(headerOf(section)))
    .join('');
}

function setInBinding(
  text: string,
  kind: string,
  binding: string,
  key: string,
  value: string,
): string {
  const header = `[[env.${PRODUCTION}.${kind}]]`;
  const line = new RegExp(`^${key} = ".*"`, 'm');
  let isSet = false;
  const sections = splitSections(text).map((section) => {
    const isMeant = headerOf(section) === header && section.includes(`\nbinding = "${binding}"`);
    if (!isMeant || !line.test(section)) return section;
    isSet = true;
    return section.replace(line, () => `${key} = ${JSON.stringify(value)}`);
  });
  if (isSet) return sections.join('');
  throw new CommandError(
    `wrangler.toml has no line '${key} = "…"' below ${header} with binding = "${binding}". Write this there: ${key} = "${value}"`,
  );
}
