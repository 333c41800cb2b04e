/**
 * `npm run bench:memories`: how long the memory tools take over HTTP, from request to answer, with the
 * embedded embedder and 10,000 memories. The server is that of `npm start`, asked by one client in turn.
 */
import { cpus, loadavg, totalmem } from 'node:os';
import { readCommandLine } from '../scripts/support/command-line.ts';
import { startDevServer, makeScratch, removeScratch } from '../scripts/support/dev-server.ts';
import {
  formatCount,
  formatMilliseconds,
  percentile,
  type BenchTable,
} from './support/bench-table.ts';
import { benchUsage, publish, WRITES } from './support/benchmarks-page.ts';
import { writeQuestions, writeSentences } from './support/working-life.ts';

const MEMORIES = 10_000;
const CALLS = 200;
/** Of the server, each with a first search; every restart is a new object that has loaded nothing. */
const AWAKENINGS = 5;

/** Seed 003's, in milliseconds. */
const TARGETS: Readonly<Record<string, number>> = {
  store_memory: 500,
  search_memories: 200,
  supersede_memory: 100,
  list_recent_memories: 100,
};

type Input = Record<string, unknown>;

/** Of a `store_memory`; what others answer is not looked at. */
interface Answer {
  readonly created: { readonly id: string };
}

/** Milliseconds of each call, by what was called. */
const times = new Map<string, number[]>();

readCommandLine({ name: 'npm run bench:memories', usage: benchUsage('memories') }, WRITES);
const sentences = writeSentences(MEMORIES + CALLS);
const questions = writeQuestions(CALLS + AWAKENINGS);
const state = makeScratch();
try {
  await onServer(async (call) => {
    const ids: string[] = [];
    for (const content of sentences.slice(0, MEMORIES)) {
      ids.push((await call('store_memory', { content })).created.id);
    }
    await measureTools(call, ids);
  });
  for (const query of questions.slice(CALLS)) {
    await onServer((call) =>
      timed('the first search after waking', call, 'search_memories', { query }),
    );
  }
} finally {
  removeScratch(state);
}
publish([tabulate(), describeMachine()]);
const missed = Object.entries(TARGETS).filter(([tool, target]) => percentileOf(tool, 95) > target);
if (missed.length > 0) {
  console.error(`Over the target: ${missed.map(([tool]) => tool).join(', ')}.`);
  process.exitCode = 1;
}

type Call = (tool: string, input: Input) => Promise<Answer>;

/** The tools take turns, as an agent's do: what one leaves in a cache or writes, the next one meets. */
async function measureTools(call: Call, ids: readonly string[]): Promise<void> {
  for (let index = 0; index < CALLS; index += 1) {
    const content = sentences[MEMORIES + index];
    const { created } = await timed('store_memory', call, 'store_memory', { content });
    const older = ids[index * Math.floor(ids.length / CALLS)];
    await timed('supersede_memory', call, 'supersede_memory', {
      old_memory_id: older,
      new_memory_id: created.id,
    });
    await timed('search_memories', call, 'search_memories', { query: questions[index] });
    await timed('list_recent_memories', call, 'list_recent_memories', { limit: 10 });
  }
}

async function timed(name: string, call: Call, tool: string, input: Input) {
  const startedAt = performance.now();
  const value = await call(tool, input);
  times.set(name, [...(times.get(name) ?? []), performance.now() - startedAt]);
  return value;
}

async function onServer(work: (call: Call) => Promise<unknown>): Promise<void> {
  await using server = await startDevServer({ persistTo: state });
  const address = `${server.url}/mcp/bench?toolsets=memories`;
  await work(async (name, args) => {
    const response = await fetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    });
    return readResult(await response.text());
  });
}

/** The one message, as JSON or as the event of a stream. Throws for a call that failed. */
function readResult(text: string): Answer {
  const { result, error } = JSON.parse(/^data: ?(.+)$/m.exec(text)?.[1] ?? text);
  if (result === undefined || result.isError === true) {
    throw new Error(JSON.stringify(error ?? result.structuredContent));
  }
  return result.structuredContent;
}

function percentileOf(name: string, percent: number): number {
  return percentile(times.get(name) ?? [], percent);
}

function tabulate(): BenchTable {
  return {
    name: 'memories',
    head: ['Call', 'Calls', 'Target', 'Median', '95th percentile', 'Slowest'],
    rows: [...times].map(([name, all]) => [
      name in TARGETS ? `\`${name}\`` : name,
      formatCount(all.length),
      name in TARGETS ? formatMilliseconds(TARGETS[name] ?? 0) : '',
      ...[50, 95, 100].map((percent) => formatMilliseconds(percentileOf(name, percent))),
    ]),
  };
}

function describeMachine(): BenchTable {
  const [cpu] = cpus();
  return {
    name: 'memories-machine',
    head: ['Processor', 'Cores', 'Memory', 'Load of 15 minutes', 'Memories in the thread'],
    rows: [
      [
        cpu?.model ?? 'unknown',
        formatCount(cpus().length),
        `${Math.round(totalmem() / 1e9)} GB`,
        // Beyond the number of cores, times say more about what else is running.
        formatCount(Math.round((loadavg()[2] ?? 0) * 10) / 10),
        formatCount(MEMORIES),
      ],
    ],
  };
}
