/** The variables of the Worker and its secrets. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { CommandError } from '../support/command-error.ts';
import type { WorkerConfig } from './config.ts';

/**
 * Those of the configuration, over them those of the files, over them `given`. A file of `envFiles`
 * must exist, or a `CommandError` is thrown. Without any, `.dev.vars` beside the configuration is read
 * where it exists.
 */
export function readVars(
  { vars, directory }: WorkerConfig,
  envFiles: readonly string[],
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const missing = envFiles.find((file) => !existsSync(file));
  if (missing !== undefined) throw new CommandError(`There is no file ${missing}.`);
  const files = envFiles.length > 0 ? envFiles : [join(directory, '.dev.vars')].filter(existsSync);
  const secrets = files.map((file) => parseEnv(readFileSync(file, 'utf8')));
  return Object.assign({}, vars, ...secrets, given) as Record<string, string>;
}
