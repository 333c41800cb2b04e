/** The server of `npm start`, as a person at a terminal sees it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { devEndpoints } from '#test/node/dev-endpoints.ts';
import { buildWorker } from '../../scripts/start/build.ts';
import { startServer } from '../../scripts/start/server.ts';
import {
  copyConfig,
  findFreePort,
  makeScratch,
  removeScratch,
  ROOT,
  startDevServer,
  startWranglerDev,
  type DevServer,
} from '../../scripts/support/dev-server.ts';

const NODE = join(ROOT, 'node_modules/.bin/node');
const PASSPHRASE = 'correct horse battery staple';
const scratch = makeScratch();
afterAll(() => removeScratch(scratch));

/** `scripts/start.ts` with these flags, to its end. */
async function start(...flags: string[]) {
  const child = spawn(NODE, ['scripts/start.ts', ...flags], { cwd: ROOT });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)));
  const [status] = await once(child, 'close');
  return { status: status as number, ...output };
}

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  output(): string;
}

/** A command that starts a server, when it says that it is ready. */
async function untilReady(command: string, args: readonly string[]): Promise<Started> {
  const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  for (;;) {
    const url = /^MCP: +(\S+)\/mcp$/m.exec(output)?.[1];
    if (url !== undefined) return { child, url, output: () => output };
    if (child.exitCode !== null) throw new Error(output);
    await wait(50);
  }
}

/** A request whose headers are sent as they are: `fetch` sets `Host` itself. */
async function ask(url: string, path: string, headers: Record<string, string> = {}) {
  const sent = request(new URL(path, url), { headers });
  sent.end();
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode as number, text };
}

async function call(url: string, threadId: string, tool: string, input: object): Promise<string> {
  const response = await fetch(`${url}/api/threads/${threadId}/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(text);
  return text;
}

const person = (name: string) => ({
  entities: [{ name, entityType: 'Person', observations: [`${name} writes programs.`] }],
});

describe('a server', () => {
  let server: DevServer;
  const stateDir = join(scratch, 'shared');
  beforeAll(async () => {
    server = await startDevServer({ persistTo: stateDir });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('prints where it is and how to connect', () => {
    expect(server.log()).toContain(`MCP:         ${server.url}/mcp\n`);
    expect(server.log()).toContain(`Page:        ${server.url}/\n`);
    expect(server.log()).toContain(`claude mcp add --transport http skein ${server.url}/mcp\n`);
  });

  test('refuses a host that can be no host, and logs no fault of its own', async () => {
    const { status, text } = await ask(server.url, '/health', {
      host: 'localhost:80.evil.example',
    });

    expect([status, JSON.parse(text).error.code]).toEqual([400, 'invalid_input']);
    expect(server.log()).not.toContain('internal_error');
  });

  test('has none of the endpoints of development, whatever a client says', async () => {
    await call(server.url, 'exported', 'create_entities', person('Ada'));
    const file = JSON.parse(await call(server.url, 'exported', 'export_database', {})).file;
    const id = readdirSync(join(stateDir, 'v3/do/skein-Thread'))[0];
    expect([typeof file, typeof id]).toEqual(['string', 'string']);
    const paths = [
      ...Object.values(devEndpoints()),
      '/cdn-cgi/local/explorer/api/workers',
      `/cdn-cgi/local/r2/public/skein-files/${id?.slice(0, 64)}/${file}`,
      '/cdn-cgi/local/r2/s3/skein-files',
      '/cdn-cgi/mf/scheduled',
    ];
    for (const path of paths) {
      for (const headers of [{}, { 'mf-op': 'GET' }, { 'mf-route-override': 'skein' }]) {
        const { status, text } = await ask(server.url, path, headers);

        expect([path, status]).toEqual([path, 404]);
        expect(JSON.parse(text)).toMatchObject({ error: { code: 'not_found' } });
      }
    }
  });

  test.skipIf(process.platform !== 'linux')(
    'has nothing else that listens but what knows no path of it',
    async () => {
      // Miniflare's own, for events, and that of Node, which the engine asks.
      const ports = listeningPorts(server.groupId);
      expect(ports).toContain(Number(new URL(server.url).port));

      for (const port of ports) {
        if (String(port) === new URL(server.url).port) continue;
        for (const path of ['/health', '/cdn-cgi/local/r2/public/skein-files/x', '/mcp']) {
          const { status } = await ask(`http://127.0.0.1:${port}`, path);
          expect([path, [403, 404].includes(status) || status]).toEqual([path, true]);
        }
      }
    },
  );

  test.each([
    ['asked from this machine', {}, 200],
    ['through a proxy that says for whom', { 'x-forwarded-for': '192.0.2.1' }, 503],
    ['through a tunnel', { 'cf-connecting-ip': '192.0.2.1' }, 503],
    [
      'through a proxy behind a tunnel',
      { 'cf-connecting-ip': '192.0.2.1', 'x-forwarded-for': '127.0.0.1' },
      503,
    ],
    ['by another name', { host: 'memory.example.com' }, 503],
  ])('without credentials, %s, answers as it must', async (_, headers, expected) => {
    const { status } = await ask(server.url, '/api/threads/any/export', headers);

    expect([403, 503].includes(status) ? 503 : status).toBe(expected);
  });

  test('refuses a second one on its port or on its directory, in one line', async () => {
    const { port } = new URL(server.url);
    const samePort = await start('--host', '127.0.0.1', '--port', port, '--persist-to', scratch);
    const sameState = await start('--port', '0', '--persist-to', stateDir);

    expect(samePort).toMatchObject({ status: 1, stdout: '' });
    expect(samePort.stderr).toMatch(/^Port \d+ is taken\. .+\n$/);
    expect(sameState).toMatchObject({ status: 1, stdout: '' });
    expect(sameState.stderr).toMatch(/^Another server \(process \d+\) is using .+\n$/);
  });

  test('logs a line of JSON for each call with --log', async () => {
    await call(server.url, 'logged', 'read_graph', {});

    const line = server
      .log()
      .split('\n')
      .findLast((text) => text.includes('"read_graph"'));
    expect(JSON.parse(line ?? '')).toMatchObject({ event: 'tool_call', outcome: 'ok' });
  });
});

test('flags that are not known are refused in one line, and those of wrangler dev say nothing', async () => {
  for (const flags of [
    ['--remote'],
    ['--env', 'production'],
    ['there'],
    ['--port', 'x'],
    ['--var', 'x'],
  ]) {
    const { status, stdout, stderr } = await start(...flags);

    expect([flags, status, stdout]).toEqual([flags, 1, '']);
    expect(stderr).toMatch(/^[^\n]+\n$/);
  }
  const ignored = await start(
    '--local',
    '--live-reload',
    '--inspector-port',
    '0',
    '--ip',
    '10.9.8.7',
  );
  expect(ignored.stderr.split('\n')).toHaveLength(3);
  expect(ignored.stderr).toMatch(
    /^Ignored, .+--local, --live-reload, --inspector-port\.\n--host 10/,
  );
  const help = await start('--help');
  expect(help).toMatchObject({ status: 0, stderr: '' });
  for (const flag of ['--port', '--host', '--persist-to', '--log', '--help']) {
    expect(help.stdout).toContain(flag);
  }
});

test('beyond this machine it starts with credentials alone, and believes nobody that he is here', async () => {
  const state = ['--port', '0', '--persist-to', join(scratch, 'beyond')];
  const open = await start('--host', '0.0.0.0', '--env-file', '/dev/null', ...state);
  expect(open).toMatchObject({ status: 1, stdout: '' });
  expect(open.stderr).toMatch(/^--host 0\.0\.0\.0 .+OWNER_PASSPHRASE.+\n$/);

  // The variables of a request decide, so an unknown mode shows what the Worker is told.
  const { child, url } = await untilReady(NODE, [
    'scripts/start.ts',
    '--host=0.0.0.0',
    ...state,
    `--var=OWNER_PASSPHRASE:${PASSPHRASE}`,
  ]);
  const { port } = new URL(url);
  const headers = { host: 'localhost', 'cf-connecting-ip': '127.0.0.1' };
  const refused = await ask(`http://127.0.0.1:${port}`, '/api/threads/any/export', headers);
  child.kill('SIGTERM');
  await once(child, 'close');

  expect(refused.status).toBe(401);
});

test('what was acknowledged is there after npm is told to end, without a process left', async () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
    const state = join(scratch, 'stopped');
    const port = await findFreePort();
    const flags = ['--port', String(port), '--persist-to', state, '--env-file', '/dev/null'];
    const { child, url, output } = await untilReady('npm', ['start', '--silent', '--', ...flags]);
    const processes = descendants(child.pid ?? 0);
    expect(await call(url, 'kept', 'create_entities', person(`Before ${signal}`))).toContain(
      signal,
    );

    child.kill(signal);
    await once(child, 'close');

    expect(output().replace(/^npm .*\n/gm, '')).not.toMatch(/error|warn|crash/i);
    await untilGone(processes);
    if (signal !== 'SIGKILL') expect(existsSync(join(state, 'npm-start.lock'))).toBe(false);
  }
  await using next = await startDevServer({ persistTo: join(scratch, 'stopped') });
  const graph = await call(next.url, 'kept', 'read_graph', {});
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'])
    expect(graph).toContain(`Before ${signal}`);
});

test('a killed server leaves no engine behind, and the next one takes its lock over', async () => {
  const state = join(scratch, 'killed');
  const flags = ['scripts/start.ts', '--port=0', `--persist-to=${state}`, '--env-file=/dev/null'];
  const { child, url } = await untilReady(NODE, flags);
  const processes = descendants(child.pid ?? 0);
  await call(url, 'kept', 'create_entities', person('Grace'));

  child.kill('SIGKILL');
  await once(child, 'close');
  await untilGone(processes);

  expect(existsSync(join(state, 'npm-start.lock'))).toBe(true);
  await using next = await startDevServer({ persistTo: state });
  expect(await call(next.url, 'kept', 'read_graph', {})).toContain('Grace');
});

test('memory that wrangler dev has written is found, and the other way round', async () => {
  const state = join(scratch, 'shared-with-wrangler');
  {
    await using dev = await startWranglerDev({ persistTo: state });
    await call(dev.url, 'atlas', 'create_entities', person('Ada'));
  }
  {
    await using lean = await startDevServer({ persistTo: state });
    expect(await call(lean.url, 'atlas', 'read_graph', {})).toContain('Ada');
    await call(lean.url, 'atlas', 'create_entities', person('Grace'));
  }
  await using dev = await startWranglerDev({ persistTo: state });
  expect(await call(dev.url, 'atlas', 'read_graph', {})).toContain('Grace');
});

test('the cron of the configuration backs up, and secrets come from .dev.vars beside it', async () => {
  const directory = join(scratch, 'project');
  mkdirSync(directory);
  const build = await buildWorker(copyConfig(join(ROOT, 'wrangler.toml'), directory), () => {});
  const lines: string[] = [];
  let now = Date.parse('2026-11-22T03:16:59.900Z');
  const due = Promise.withResolvers<() => void>();
  const server = await startServer({
    build,
    vars: { ...build.config.vars, BACKUPS_ENABLED: 'true' },
    host: '127.0.0.1',
    port: 0,
    persistTo: join(scratch, 'cron'),
    onLog: (_, line) => lines.push(line),
    clock: {
      now: () => now,
      wait(_, callback) {
        due.resolve(callback);
        return () => {};
      },
    },
  });
  try {
    await call(server.url, 'backed-up', 'create_entities', person('Ada'));

    now += 100;
    (await due.promise)();

    await expect.poll(() => lines.join('\n'), { timeout: 30_000 }).toContain('"backup_run"');
    const line = lines.find(
      (text) => text.includes('"backup_run"') && text.includes('"written":1'),
    );
    expect(JSON.parse(line ?? '')).toMatchObject({ outcome: 'ok', at: '2026-11-22T03:17:00.000Z' });
  } finally {
    await server.stop();
  }

  writeFileSync(join(directory, '.dev.vars'), `OWNER_PASSPHRASE="${PASSPHRASE}"\n`);
  const config = `--config=${join(directory, 'wrangler.toml')}`;
  const flags = ['scripts/start.ts', '--port=0', config, `--persist-to=${join(scratch, 'cron')}`];
  const { child, url, output } = await untilReady(NODE, flags);
  const { status } = await ask(url, '/api/threads/backed-up/export');
  child.kill('SIGTERM');
  await once(child, 'close');

  expect(status).toBe(401);
  expect(output()).not.toContain('Building');
});

/** Of a process: all that it has started, and they. Itself too. */
function descendants(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((id) => /^\d+$/.test(id))
    .map((id) => [Number(id), parentOf(id)] as const);
  const find = (of: number): number[] => [
    of,
    ...parents.filter(([, parent]) => parent === of).flatMap(([id]) => find(id)),
  ];
  return find(pid);
}

function parentOf(id: string): number {
  return Number(readStat(id)?.[1] ?? 0);
}

/** From the state on; undefined when it is gone. */
function readStat(id: string | number): string[] | undefined {
  try {
    return readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
  } catch {
    return undefined;
  }
}

async function untilGone(pids: readonly number[]): Promise<void> {
  const isRunning = (pid: number) => (readStat(pid)?.[0] ?? 'Z') !== 'Z';
  await expect.poll(() => pids.filter(isRunning), { timeout: 20_000 }).toEqual([]);
}

/** TCP ports that the processes of a group listen on. */
function listeningPorts(group: number): number[] {
  const members = readdirSync('/proc').filter((id) => readStat(id)?.[2] === String(group));
  const sockets = new Set(members.flatMap(socketsOf));
  const rows = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1);
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter((fields) => fields[3] === '0A' && sockets.has(fields[9] ?? ''))
    .map((fields) => Number.parseInt(fields[1]?.split(':')[1] ?? '', 16));
}

function socketsOf(id: string): string[] {
  return readdirSync(`/proc/${id}/fd`).flatMap((file) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${id}/fd/${file}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
}
