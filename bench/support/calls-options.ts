/** What `npm run bench:calls` is told on its command line. */
import { parseArgs } from 'node:util';
import { CommandError } from '../../scripts/support/command-error.ts';

export interface CallsOptions {
  /** Entities of the thread at each measurement, ascending. */
  readonly sizes: readonly number[];
  /** A running server to measure, such as `http://127.0.0.1:8787`. Left out, `npm start` is. */
  readonly url: string | undefined;
  readonly isHelp: boolean;
}

export const CALLS_USAGE = `npm run bench:calls [-- --sizes 1000,5000,20000] [--url http://localhost:8787] [--write]

  --sizes   entities at which to measure, ascending, each a multiple of 100
  --url     measures this running server instead of starting one by npm start
  --write   puts the tables into docs/benchmarks.md`;

const SIZES_DEFAULT = '1000,5000,20000';
const SIZE_STEP = 100;
/** What a thread holds at most, with room for what the measurements create. */
const SIZE_MAX = 49_000;

/** Throws `CommandError`, in one line, for anything that it does not know. */
export function readCallsOptions(args: readonly string[]): CallsOptions {
  const { values } = parse(args);
  return {
    sizes: readSizes(values.sizes),
    url: values.url === undefined ? undefined : readUrl(values.url),
    isHelp: values.help,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        sizes: { type: 'string', default: SIZES_DEFAULT },
        url: { type: 'string' },
        write: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    const [problem = ''] = error instanceof Error ? error.message.split(/\.\s/) : [];
    throw new CommandError(`${problem}. Use --sizes, --url, --write or --help.`);
  }
}

function readSizes(text: string): number[] {
  const sizes = text.split(',').map(Number);
  const isUsable = sizes.every(
    (size, index) =>
      size >= SIZE_STEP &&
      size <= SIZE_MAX &&
      size % SIZE_STEP === 0 &&
      size > (sizes[index - 1] ?? 0),
  );
  if (isUsable) return sizes;
  throw new CommandError(
    `--sizes must be ascending multiples of ${SIZE_STEP} up to ${SIZE_MAX}, such as 1000,5000; not '${text}'.`,
  );
}

function readUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return new URL(text).origin;
  throw new CommandError(`--url must be such as http://localhost:8787, not '${text}'.`);
}
