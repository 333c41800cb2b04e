/** What `npm run bench:calls` is told on its command line. */
import { CommandError } from '../../scripts/support/command-error.ts';
import { parseCommandLine, readOrigin } from '../../scripts/support/command-line.ts';

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
  --write   puts the tables into docs/contributing/benchmarks.md`;

const SIZES_DEFAULT = '1000,5000,20000';
const SIZE_STEP = 100;
/** What a thread holds at most, with room for what the measurements create. */
const SIZE_MAX = 49_000;

/** Throws `CommandError`, in one line, for anything that it does not know. */
export function readCallsOptions(args: readonly string[]): CallsOptions {
  const { values, isHelp } = parseCommandLine('npm run bench:calls', args, {
    options: {
      sizes: { type: 'string', default: SIZES_DEFAULT },
      url: { type: 'string' },
      write: { type: 'boolean' },
    },
  });
  return {
    sizes: readSizes(values.sizes),
    url: values.url === undefined ? undefined : readOrigin('url', values.url),
    isHelp,
  };
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
