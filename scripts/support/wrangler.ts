/** Runs the project's own wrangler, by the Node that it needs, without colours and without telemetry. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');

export type Environment = Readonly<Record<string, string | undefined>>;

/** A program with the arguments that come before those of the command. */
export type Program = readonly [command: string, ...args: string[]];

export interface WranglerResult {
  readonly status: number;
  readonly stdout: string;
  /** Of a command that failed: what it said, wherever it said it. */
  readonly complaint: string;
}

export interface WranglerOptions {
  /** What it reads; left out, it reads nothing and asks nothing. */
  readonly input?: string | undefined;
  /** Lets it ask on the terminal, and shows there what it prints. What it prints is not in the result. */
  readonly onTerminal?: boolean;
  readonly environment?: Environment;
}

/** Runs one command. A secret belongs into `input`: arguments can be seen by everybody on a machine. */
export type RunWrangler = (
  args: readonly string[],
  options?: WranglerOptions,
) => Promise<WranglerResult>;

/** Where the pinned Node does not exist for a platform, whatever the shell finds has to do. */
export function projectWrangler(): Program {
  const pinned = join(ROOT, 'node_modules/.bin/node');
  return [
    existsSync(pinned) ? pinned : 'node',
    join(ROOT, 'node_modules/wrangler/bin/wrangler.js'),
  ];
}

/** `environment` is that of every command; what a command brings itself comes before it. */
export function wranglerRunner(
  [command, ...before]: Program,
  environment: Environment = process.env,
): RunWrangler {
  return (args, options = {}) =>
    new Promise((done, fail) => {
      const { input, onTerminal = false } = options;
      const child: ChildProcess = spawn(command, [...before, ...args], {
        env: {
          ...environment,
          WRANGLER_SEND_METRICS: 'false',
          ...(!onTerminal && { NO_COLOR: '1', FORCE_COLOR: '0' }),
          ...options.environment,
        } as unknown as NodeJS.ProcessEnv,
        stdio: [
          onTerminal ? 'inherit' : input === undefined ? 'ignore' : 'pipe',
          onTerminal ? 'inherit' : 'pipe',
          'pipe',
        ],
      });
      let stdout = '';
      let stderr = '';
      child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
        if (onTerminal) process.stderr.write(text);
      });
      // A command that ends before it has read everything says why by its status.
      child.stdin?.on('error', () => {});
      child.stdin?.end(input);
      child.once('error', fail);
      child.once('close', (status) => {
        const complaint = stripVTControlCharacters(stderr.trim() || stdout.trim());
        done({ status: status ?? 1, stdout: stripVTControlCharacters(stdout), complaint });
      });
    });
}
