/** The commands of package.json, as a person at a terminal meets them for the first time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { ROOT } from '../../scripts/support/dev-server.ts';

const NODE = join(ROOT, 'node_modules/.bin/node');
/** Has the flags of wrangler dev, and hands all of them on. */
const WRANGLERS_OWN = 'dev';
const AT_ONCE = 4;

/** A script with its own arguments, by the name of the command. */
function readCommands(): [name: string, args: string[]][] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return Object.entries<string>(scripts).flatMap(([name, line]) => {
    const args = /\bnode (?:-r \S+ )?((?:scripts|bench)\/[^&]+)$/
      .exec(line)?.[1]
      ?.trim()
      .split(' ');
    const isHook = /^(?:pre|post)/.test(name);
    return args === undefined || isHook || name === WRANGLERS_OWN ? [] : [[name, args]];
  });
}

async function run(...args: string[]) {
  const child = spawn(NODE, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)));
  const [status] = await once(child, 'close');
  return { status: status as number, ...output };
}

test('every command knows --help and refuses in one line what it does not know', async () => {
  const commands = readCommands();
  expect(commands.map(([name]) => name)).toEqual(
    expect.arrayContaining(['start', 'demo', 'token', 'docs', 'fuzz', 'bench:search']),
  );
  while (commands.length > 0) {
    const some = commands.splice(0, AT_ONCE);
    await Promise.all(
      some.map(async ([name, args]) => {
        const help = await run(...args, '--help');
        expect([name, help.status, help.stderr]).toEqual([name, 0, '']);
        expect(help.stdout).toMatch(/^(?:npm|node) .+\n/);

        const refused = await run(...args, '--nonsense');
        expect([name, refused.status, refused.stdout]).toEqual([name, 1, '']);
        expect(refused.stderr).toMatch(/^[^\n]*--nonsense[^\n]*--help[^\n]*\n$/);
      }),
    );
  }
}, 120_000);

test.concurrent.each([
  [['scripts/demo.ts', 'there'], /^Unexpected argument 'there'\. See npm run demo -- --help\.\n$/],
  [['scripts/demo.ts', '--port', 'x'], /^--port takes a number from 0 to 65535, not 'x'\.\n$/],
  [['scripts/demo.ts', '--url', 'there'], /^--url takes an address such as .+\n$/],
  [['scripts/demo.ts', '--url', 'http://a', '--port', '1'], /^Give --port or --url, not both\.\n$/],
  [
    ['scripts/demo.ts', '--port', '1'],
    /^No server answers at http:\/\/localhost:1\. .+npm start.+\n$/,
  ],
  [['scripts/torture.ts', '--rounds', '0'], /^--rounds takes a whole number above 0, not '0'\.\n$/],
  [
    ['scripts/fuzz.ts', '--calls', 'many'],
    /^--calls takes a whole number above 0, not 'many'\.\n$/,
  ],
  [['scripts/token.ts'], /^Give create, list or revoke <id>\. .+--help\.\n$/],
  [['scripts/token.ts', 'make'], /^Give create, list or revoke <id>, not 'make'\..+\n$/],
  [['scripts/token.ts', 'list', 'all'], /^Give .+, not 'all'\..+\n$/],
  [['bench/run.ts', 'speed'], /^Name one benchmark of search, cost, worst, not 'speed'\.\n$/],
])('%j ends in one line', async (args, line) => {
  const { status, stdout, stderr } = await run(...args);

  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(line);
});

test('the demo tells its story on a server whose port it is given', async () => {
  const { port } = new URL(inject('serverUrl'));
  const { status, stdout, stderr } = await run('scripts/demo.ts', '--port', port);

  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`Skein at http://localhost:${port}, in the new thread`);
  expect(stdout).toMatch(/Ask: When may people visit\?\n +.*Brannock lighthouse/);
  expect(stdout).toMatch(/version 1 .*14 May.*superseded/);
  expect(stdout).toMatch(/version 2 .*2 June.*current/);
  expect(stdout).toMatch(/Tobin Ashgrove +— repairs → +Great lens/);
});
