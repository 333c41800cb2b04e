/** What every command of the project does with its flags: `--help`, and one line about what it does not know. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { CommandError } from './command-error.ts';

type Flags = NonNullable<ParseArgsConfig['options']>;

export interface CommandConfig {
  readonly options?: Flags;
  readonly allowPositionals?: boolean;
  readonly allowNegative?: boolean;
}

export interface CommandLine<Config extends CommandConfig> {
  readonly values: ReturnType<typeof parseArgs<Config>>['values'];
  readonly positionals: readonly string[];
  readonly isHelp: boolean;
}

/** `name` is as a person types it, such as `npm run demo`. Throws a `CommandError` of one line. */
export function parseCommandLine<const Config extends CommandConfig>(
  name: string,
  args: readonly string[],
  config: Config,
): CommandLine<Config> {
  const help = { type: 'boolean', short: 'h' } as const;
  try {
    const options = { ...config.options, help };
    const parsed = parseArgs({ ...config, args: [...args], options });
    const values: Readonly<Record<string, unknown>> = parsed.values;
    const { positionals } = parsed as { positionals: string[] };
    return { values: values as never, positionals, isHelp: values['help'] === true };
  } catch (error) {
    throw new CommandError(explain(name, error), { cause: error });
  }
}

/**
 * What this process was called with. Ends it with the usage for `--help`, and with status 1 and one line
 * for what the command does not know.
 */
export function readCommandLine<const Config extends CommandConfig>(
  { name, usage }: { readonly name: string; readonly usage: string },
  config: Config,
): CommandLine<Config> {
  return orExit(() => {
    const line = parseCommandLine(name, process.argv.slice(2), config);
    if (line.isHelp) {
      console.log(usage);
      process.exit(0);
    }
    return line;
  });
}

/** What `read` gives; ends the process with status 1 and the message of a `CommandError`. */
export function orExit<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

/** A whole number above 0. Throws a `CommandError` for anything else. */
export function readCount(flag: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new CommandError(`--${flag} takes a whole number above 0, not '${text.slice(0, 80)}'.`);
}

/** Throws a `CommandError` for anything but 0, for a free port, to 65535. */
export function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new CommandError(`--port takes a number from 0 to 65535, not '${text.slice(0, 80)}'.`);
}

/** The origin of an address. Throws a `CommandError` for what is no address of HTTP. */
export function readOrigin(flag: string, text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.origin;
  throw new CommandError(
    `--${flag} takes an address such as http://localhost:8787, not '${text.slice(0, 80)}'.`,
  );
}

/** Node's own message names the flag and then goes on about positional arguments. */
function explain(name: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const unknown = /^Unknown option '([^']+)'/.exec(message)?.[1];
  const problem =
    unknown === undefined ? firstSentence(message) : `${name} has no flag ${unknown}.`;
  return `${problem} See ${name.startsWith('npm ') ? `${name} --` : name} --help.`;
}

function firstSentence(message: string): string {
  return `${message.split(/\.\s|\n/)[0]?.replace(/\.$/, '')}.`;
}
