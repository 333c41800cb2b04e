/** The flags of `npm start`: its own, and those of `wrangler dev` that say nothing here. */
import { resolve } from 'node:path';
import { CommandError } from '../support/command-error.ts';
import { parseCommandLine, readPort } from '../support/command-line.ts';

export interface StartOptions {
  /** 0 for a free one. */
  readonly port: number;
  /** The address to listen on. */
  readonly host: string;
  /** The directory above `v3`, in which Miniflare keeps everything. */
  readonly persistTo: string;
  /** Prints every line that the Worker logs, not only warnings and errors. */
  readonly log: boolean;
  /** A wrangler.toml. */
  readonly config: string;
  /** Instead of the `.dev.vars` beside the configuration. */
  readonly envFiles: readonly string[];
  /** Over those of the configuration and of the files. */
  readonly vars: Readonly<Record<string, string>>;
}

export interface StartCommand {
  readonly options: StartOptions;
  readonly isHelp: boolean;
  /** Flags that were given and change nothing. */
  readonly ignored: readonly string[];
}

export const USAGE = `npm start -- [flags]

Builds the Worker when something has changed, and serves it on this machine.

  --port <number>       the port to listen on; 8787 when left out, 0 for a free one
  --host <address>      the address to listen on; 127.0.0.1 when left out
  --persist-to <dir>    where the memory is kept; .wrangler/state when left out
  --log                 prints one JSON line for each call, not only warnings and errors
  --var <NAME:VALUE>    sets a variable of the Worker; may be repeated
  --env-file <file>     reads secrets from this file instead of .dev.vars; may be repeated
  --config <file>       another wrangler.toml
  --help                prints this

npm run dev starts wrangler dev, with its own flags, for work on the code.`;

const TEXT = { type: 'string' } as const;
const TEXTS = { type: 'string', multiple: true } as const;
const SWITCH = { type: 'boolean' } as const;

/** Flags of `wrangler dev` about things that this server does not have. */
const IGNORED = {
  local: { ...SWITCH, short: 'l' },
  latest: SWITCH,
  types: SWITCH,
  minify: SWITCH,
  'install-skills': SWITCH,
  'live-reload': SWITCH,
  'test-scheduled': SWITCH,
  'show-interactive-dev-session': SWITCH,
  'infer-origin-from-routes': SWITCH,
  'inspector-port': TEXT,
  'inspector-ip': TEXT,
  'log-level': TEXT,
} as const;

const OWN = {
  port: TEXT,
  host: TEXT,
  ip: TEXT,
  'persist-to': TEXT,
  log: SWITCH,
  config: { ...TEXT, short: 'c' },
  'env-file': TEXTS,
  var: TEXTS,
} as const;

const DEFAULT_PORT = 8787;
/** As written in the addresses that are printed; it is bound as 127.0.0.1. */
const DEFAULT_HOST = 'localhost';

/** Relative paths are below `directory`. Throws a `CommandError` of one line. */
export function readArguments(args: readonly string[], directory: string): StartCommand {
  const { values, isHelp } = parseCommandLine('npm start', args, {
    allowNegative: true,
    options: { ...IGNORED, ...OWN },
  });
  return {
    isHelp,
    ignored: Object.keys(IGNORED).filter((name) => name in values),
    options: {
      port: values.port === undefined ? DEFAULT_PORT : readPort(values.port),
      host: values.host ?? values.ip ?? DEFAULT_HOST,
      persistTo: resolve(directory, values['persist-to'] ?? '.wrangler/state'),
      log: values.log === true,
      config: resolve(directory, values.config ?? 'wrangler.toml'),
      envFiles: (values['env-file'] ?? []).map((file) => resolve(directory, file)),
      vars: Object.fromEntries((values.var ?? []).map(readVar)),
    },
  };
}

function readVar(pair: string): [string, string] {
  const at = pair.indexOf(':');
  if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
  throw new CommandError(`--var takes NAME:VALUE, not '${pair.slice(0, 80)}'.`);
}
