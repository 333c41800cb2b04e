/** `npm run deploy`: everything from an account at Cloudflare to an MCP URL, and every upgrade after that. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { deploy } from './deploy/deployment.ts';
import { processTerminal } from './deploy/terminal.ts';
import { CommandError } from './support/command-error.ts';
import { projectWrangler, wranglerRunner } from './support/wrangler.ts';

const USAGE = `npm run deploy [-- --yes]

  --yes            make what is missing without asking
  --config <file>  another wrangler.toml

CLOUDFLARE_API_TOKEN signs in without a browser, CLOUDFLARE_ACCOUNT_ID chooses among several accounts,
and OWNER_PASSPHRASE is the passphrase to be set if there is none.`;

try {
  const { yes, config } = readArguments(process.argv.slice(2));
  await deploy({
    config: resolve(config ?? resolve(import.meta.dirname, '../wrangler.toml')),
    wrangler: (environment) => wranglerRunner(projectWrangler(), environment),
    environment: process.env,
    terminal: processTerminal(),
    isAgreed: yes,
  });
} catch (error) {
  if (!(error instanceof CommandError)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}

function readArguments(args: string[]): { yes: boolean; config?: string | undefined } {
  try {
    const options = { yes: { type: 'boolean', short: 'y' }, config: { type: 'string' } } as const;
    const { yes = false, config } = parseArgs({ args, options }).values;
    return { yes, config };
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : ''}\n\n${USAGE}`, {
      cause: error,
    });
  }
}
