/** Scripts that a Node runs which is older than they need. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../../scripts/support/dev-server.ts';

const CHECK = './scripts/require-node.cjs';
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};
const OPTIONAL = Object.keys(
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).optionalDependencies,
);

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'skein-node-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** A script under a Node that says that it is another. */
function run(version: string, platform: string, arch: string, script = 'scripts/start.ts') {
  const fake = join(directory, 'fake.cjs');
  writeFileSync(
    fake,
    `Object.defineProperty(process.versions, 'node', { value: '${version}' });
     Object.defineProperty(process, 'platform', { value: '${platform}' });
     Object.defineProperty(process, 'arch', { value: '${arch}' });`,
  );
  const args = ['-r', fake, '-r', CHECK, script, '--help'];
  return spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
}

test.each([
  [
    '20.20.2',
    'win32',
    'x64',
    'install one, since npm install brings none of its own for win32-x64',
  ],
  [
    '22.17.9',
    'darwin',
    'x64',
    'install one, since npm install brings none of its own for darwin-x64',
  ],
  [
    '20.20.2',
    'linux',
    'x64',
    'run npm install, which brings one of its own unless it is told to omit optional dependencies',
  ],
])('Node %s on %s-%s ends with one sentence', (version, platform, arch, advice) => {
  const { status, stdout, stderr } = run(version, platform, arch);

  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toBe(`Skein needs Node 22.18 or newer, and this is ${version}: ${advice}.\n`);
});

test.each(['22.18.0', '23.6.0', '24.0.0', '100.0.0'])('Node %s runs on any platform', (version) => {
  expect(run(version, 'win32', 'x64')).toMatchObject({ status: 0, stderr: '' });
});

test('the scripts that a user runs check it, and it knows the platforms that have a Node', () => {
  for (const name of ['start', 'dev', 'demo', 'deploy', 'token', 'build:embedder', 'build:ui']) {
    expect([name, scripts[name]]).toEqual([name, expect.stringContaining(`node -r ${CHECK} `)]);
  }
  const bundled = /BUNDLED = \[(.*)\]/.exec(readFileSync(join(ROOT, CHECK), 'utf8'))?.[1];
  expect(bundled?.match(/[\w-]+/g)).toEqual(
    OPTIONAL.map((name) => name.replace(/^node-(?:bin-)?/, '')),
  );
});

/** The first Node on the path that did not come with the project. */
const OWN = (process.env['PATH'] ?? '')
  .split(':')
  .filter((entry) => !entry.includes('node_modules'))
  .map((entry) => join(entry, 'node'))
  .find((path) => existsSync(path));
const version = OWN && spawnSync(OWN, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout;

test.skipIf(!version || Number.parseInt(version, 10) >= 22)(
  'the older Node of this machine says so by itself',
  () => {
    const args = ['-r', CHECK, 'scripts/start.ts', '--help'];
    const { status, stderr } = spawnSync(OWN ?? '', args, { cwd: ROOT, encoding: 'utf8' });

    expect(status).toBe(1);
    expect(stderr).toMatch(/^Skein needs Node 22\.18 or newer, and this is \S+: [^\n]+\n$/);
  },
);
