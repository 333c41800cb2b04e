/** `npm run deploy`: everything from an account at Cloudflare to an MCP URL, and every upgrade after that. */
import { resolve } from 'node:path';
import { deploy } from './deploy/deployment.ts';
import { processTerminal } from './deploy/terminal.ts';
import { CommandError } from './support/command-error.ts';
import { readCommandLine } from './support/command-line.ts';
import { projectWrangler, wranglerRunner } from './support/wrangler.ts';

const USAGE = `npm run deploy [-- --yes]

  --yes            make what is missing without asking
  --config <file>  another wrangler.toml

CLOUDFLARE_API_TOKEN signs in without a browser, CLOUDFLARE_ACCOUNT_ID chooses among several accounts,
and OWNER_PASSPHRASE is the passphrase to be set if there is none.`;

const { values } = readCommandLine(
  { name: 'npm run deploy', usage: USAGE },
  {
    options: {
      yes: { type: 'boolean', short: 'y', default: false },
      config: { type: 'string' },
    },
  },
);
try {
  await deploy({
    config: resolve(values.config ?? resolve(import.meta.dirname, '../wrangler.toml')),
    wrangler: (environment) => wranglerRunner(projectWrangler(), environment),
    environment: process.env,
    terminal: processTerminal(),
    isAgreed: values.yes,
  });
} catch (error) {
  if (!(error instanceof CommandError)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}
