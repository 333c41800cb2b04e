/**
 * `npm run bench:archives`: whether a thread that is as large as the limits allow is backed up and comes back
 * in the heap of a Worker, and what both take. On a local server whose engine has 128 MB of heap.
 */
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { orExit, readCommandLine, readCount } from '../scripts/support/command-line.ts';
import {
  copyConfig,
  makeScratch,
  removeScratch,
  ROOT,
  startWranglerDev,
  type DevServer,
} from '../scripts/support/dev-server.ts';
import { readCpuSeconds, readMemory, TRACED_HEAP } from '../scripts/support/server-memory.ts';
import { writeFullThread, type ThreadSize } from './support/full-thread.ts';
import { formatCount, type BenchTable } from './support/bench-table.ts';
import { benchUsage, publish, WRITES } from './support/benchmarks-page.ts';

const THREAD = 'full';
const API = `/api/threads/${THREAD}`;
const SAMPLE_MS = 100;
const RUN_MS_MAX = 20 * 60_000;
/** Such as `… 8724 ms: Mark-Compact 35.1 (55.2) -> 19.8 (52.2) MB, …`. */
const COLLECTION = /ms: (Mark-Compact|Scavenge)[^\d]*([\d.]+) \(.*?-> ([\d.]+) /g;

const { values } = readCommandLine(
  {
    name: 'npm run bench:archives',
    usage: `${benchUsage('archives')}
  --share      of the default limits, in percent; 100 when left out
  --turnChars  characters of a turn; 1500 when left out`,
  },
  {
    options: {
      ...WRITES.options,
      share: { type: 'string', default: '100' },
      turnChars: { type: 'string', default: '1500' },
    },
  },
);
const [share, turnChars] = orExit(() => [
  readCount('share', values.share),
  readCount('turnChars', values.turnChars),
]);
const size: ThreadSize = {
  entities: 500 * share,
  facts: 1_500 * share,
  turns: 500 * share,
  relations: 1_000 * share,
  turnChars,
};

const scratch = makeScratch();
try {
  publish([await measure()]);
} finally {
  removeScratch(scratch);
}

async function measure(): Promise<BenchTable> {
  await using server = await startWranglerDev({ config: withoutModel(), v8Flags: TRACED_HEAP });
  const rows: string[][] = [];
  const step = async <Value>(what: string, work: () => Promise<Value>): Promise<Value> => {
    const { value, ...took } = await observe(server, work);
    rows.push([
      what,
      `${took.cpuSeconds.toFixed(0)} s`,
      `${(took.ms / 1000).toFixed(0)} s`,
      `${took.liveMb.toFixed(0)} MB`,
      `${took.heapMb.toFixed(0)} MB`,
      `${took.residentMb} MB`,
    ]);
    console.log(rows.at(-1)?.join(' | '));
    return value;
  };
  let part = 0;
  for (const file of writeFullThread(size)) {
    part += 1;
    await step(`Import of part ${part}, ${formatCount(Math.round(file.length / 1e6))} MB`, () =>
      send(server, `${API}/import`, file),
    );
  }
  const before = await countAll(server);
  const backup = await step('Backup, read back', () => backUp(server));
  const exported = await fetch(`${server.url}${API}/files/${backup.file}`);
  const { lines, bytes } = await measureLines(exported);
  await call(server, 'delete_thread', { confirm: THREAD });
  const restored = await step('Restore into the empty thread', () =>
    call(server, 'import_database', { file: backup.file }),
  );
  await step('Restore over the thread, replacing it', () =>
    call(server, 'import_database', { file: backup.file, mode: 'replace' }),
  );
  const after = await countAll(server);
  console.log({ before, backup, lines, bytes, restored, after });
  return {
    name: 'archives',
    head: ['Step', 'CPU', 'Took', 'Heap in use', 'Heap before a collection', 'Resident'],
    rows,
  };
}

/** Its figures are those of the archive: searches go by words. */
function withoutModel(): string {
  const directory = join(scratch, 'assets');
  mkdirSync(directory, { recursive: true });
  const config = copyConfig(join(ROOT, 'wrangler.toml'), scratch);
  const given = readFileSync(config, 'utf8');
  writeFileSync(
    config,
    given.replace(/(\[assets\]\ndirectory = ).*/, `$1${JSON.stringify(directory)}`),
  );
  return config;
}

interface Observed<Value> {
  readonly value: Value;
  readonly ms: number;
  /** Of the whole engine. */
  readonly cpuSeconds: number;
  /** Megabytes: the most that a full collection left, that was there before any, and of the process. */
  readonly liveMb: number;
  readonly heapMb: number;
  readonly residentMb: number;
}

async function observe<Value>(
  server: DevServer,
  work: () => Promise<Value>,
): Promise<Observed<Value>> {
  const logged = server.log().length;
  let residentMb = 0;
  let isDone = false;
  const sampling = (async () => {
    while (!isDone) {
      residentMb = Math.max(residentMb, readMemory(server).worker);
      await wait(SAMPLE_MS);
    }
  })();
  const startedAt = performance.now();
  const cpuBefore = readCpuSeconds(server);
  try {
    const value = await work();
    const ms = performance.now() - startedAt;
    const cpuSeconds = readCpuSeconds(server) - cpuBefore;
    return { value, ms, cpuSeconds, residentMb, ...heapOf(server.log().slice(logged)) };
  } catch (error) {
    throw new Error(`${String(error)}\n${server.log().slice(-3_000)}`, { cause: error });
  } finally {
    isDone = true;
    await sampling;
  }
}

function heapOf(log: string): { liveMb: number; heapMb: number } {
  let [liveMb, heapMb] = [0, 0];
  for (const [, kind, before, after] of log.matchAll(COLLECTION)) {
    heapMb = Math.max(heapMb, Number(before));
    if (kind === 'Mark-Compact') liveMb = Math.max(liveMb, Number(after));
  }
  return { liveMb, heapMb };
}

type Answer = Record<string, unknown>;

/** Past `fetch`, which gives up on an answer that takes five minutes. */
async function send(server: DevServer, path: string, body: Uint8Array | string): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const asked = request(`${server.url}${path}`, { method: 'POST', headers });
  asked.end(body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(`${path}: ${answer.slice(0, 1_000)}`);
  return JSON.parse(answer) as Answer;
}

function call(server: DevServer, tool: string, input: object): Promise<Answer> {
  return send(server, `${API}/tools/${tool}`, JSON.stringify(input));
}

/** Sets off the daily run, and waits for its end. */
async function backUp(server: DevServer): Promise<Backup> {
  const deadline = Date.now() + RUN_MS_MAX;
  const logged = server.log().length;
  await fetch(`${server.url}/cdn-cgi/local/scheduled`);
  while (!server.log().slice(logged).includes('"event":"backup_run"')) {
    if (Date.now() > deadline) throw new Error('The run has no end.');
    await wait(SAMPLE_MS);
  }
  const { backup } = await call(server, 'healthcheck', {});
  return backup as Backup;
}

interface Backup {
  readonly file: string;
  readonly readable: boolean | null;
}

async function countAll(server: DevServer): Promise<unknown> {
  const { counts } = await call(server, 'healthcheck', {});
  const { total } = await call(server, 'read_graph', { limit: 1 });
  return { counts, total };
}

async function measureLines({ body }: Response): Promise<{ lines: number; bytes: number }> {
  let [lines, bytes] = [0, 0];
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === 10) lines += 1;
  }
  return { lines, bytes };
}
