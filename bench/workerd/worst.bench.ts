/** `npm run bench:worst`: the costliest call of each tool on a thread at its caps. */
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import { inject, test } from 'vitest';
import { MemoryError } from '#errors.ts';
import { formatId } from '#graph/ids.ts';
import { threadObjectName } from '#thread/thread-address.ts';
import {
  formatCount,
  formatMilliseconds,
  formatTimes,
  type BenchMeta,
  type BenchTable,
} from '../support/bench-table.ts';
import { inventThread, nameOf, RARE_WORD, type EntityDraft } from '../support/invented-thread.ts';
import { openBenchThread, type BenchThread, type MeasuredCall } from './bench-thread.ts';
import { seedThread } from './seeding.ts';
import { listCases, PLACES_APART, subjectAt, type Case } from './tool-cases.ts';
import { wordEmbedder } from './word-embedder.ts';
import { DENSE, HUB, worstInputs } from './worst-inputs.ts';

const ENTITIES = 49_000;
const SIZE = { entities: ENTITIES, factsPerEntity: 3, relationsPerEntity: 3 };
/** Facts that have four equal letters in them. */
const LETTER_FACTS = 30_000;
const SESSIONS = 8;
const TURNS_PER_SESSION = 200;
const LONG_TURNS = 5;
/** Slower calls are told as they come. */
const TOLD_FROM_MS = 500;
/** The dense part begins behind what the ordinary calls are about. */
const DENSE_FROM = 40_000;

interface Found {
  readonly tool: string;
  readonly name: string;
  readonly ms: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
  /** How many times as long as at its fastest in this run a fixed loop took, right before and after the call. */
  readonly load: number;
}

test('the costliest call of each tool', async ({ task }) => {
  const stub = env.THREAD.getByName(threadObjectName({ subject: 'bench', threadId: 'worst' }));
  await runInDurableObject(stub, async (_, { storage }) => {
    const embedder = wordEmbedder();
    const thread = openBenchThread(storage, embedder);
    const drafts = [...withTraps(inventThread(SIZE))];
    await seedThread(thread.store, embedder, drafts);
    await addTurns(thread);
    // Loads the vectors, once for all that follow.
    await thread.call('search_memories', { query: RARE_WORD });
    const only = inject('only');
    const cases = [...hostileCases(thread), ...listCases()].filter(
      ({ tool }) => only.length === 0 || only.includes(tool.name),
    );
    const found = await measure(thread, cases, drafts);
    Object.assign(task.meta, { tables: [tabulate(found)] } satisfies BenchMeta);
  });
});

/** The same thread with letters that repeat, a crowd and a dense part. */
function* withTraps(drafts: Iterable<EntityDraft>): Generator<EntityDraft> {
  let place = 0;
  for (const draft of drafts) {
    const { facts, relations } = draft;
    const lettered = facts.map((fact) => `${fact} aaaa`);
    yield {
      ...draft,
      facts: place * SIZE.factsPerEntity < LETTER_FACTS ? lettered : facts,
      relations: uniqueTargets([...relationsAt(place), ...relations]),
    };
    place += 1;
  }
}

type Relations = EntityDraft['relations'];

function relationsAt(place: number): Relations {
  const toHub =
    place > HUB.place && place <= HUB.relations ? [{ to: HUB.place, type: 'knows' }] : [];
  const index = place - DENSE_FROM;
  if (index < 0 || index >= DENSE.entities) return toHub;
  return Array.from({ length: DENSE.relations }, (_, step) => ({
    to: DENSE_FROM + ((index + step + 1) % DENSE.entities),
    type: 'knows',
  }));
}

function uniqueTargets(relations: Relations): Relations {
  return [...new Map(relations.map((one) => [`${one.to} ${one.type}`, one])).values()];
}

async function addTurns(thread: BenchThread): Promise<void> {
  const letters = 'a'.repeat(100_000);
  for (let turn = 0; turn < LONG_TURNS; turn += 1) {
    const texts = { prompt: `${turn}`, thought: '', response: letters };
    await thread.call('add_memory', { ...texts, sessionId: 'letters' });
  }
  for (let turn = 0; turn < SESSIONS * TURNS_PER_SESSION; turn += 1) {
    const response = `Step ${turn} was done with care. The ${nameOf(turn)} was looked at. `.repeat(
      20,
    );
    const prompt = `What about ${nameOf(turn)}? `.repeat(60);
    const texts = { prompt, thought: response, response };
    await thread.call('add_memory', { ...texts, sessionId: `session ${turn % SESSIONS}` });
  }
}

function hostileCases({ store }: BenchThread): Case[] {
  const idOf = (name: string) => {
    const [entity] = store.entities.findMany([name]);
    if (entity === undefined) throw new Error(`There is no ${name}.`);
    return formatId('entity', entity.nodeId);
  };
  const dense = Array.from({ length: DENSE.entities }, (_, index) => nameOf(DENSE_FROM + index));
  const hub = nameOf(HUB.place);
  const denseIds = dense.slice(0, 2).map(idOf);
  const inputs = worstInputs({ hub, hubId: idOf(hub), dense, denseIds });
  const tools = new Map(listCases().map(({ tool }) => [tool.name, tool]));
  return Object.entries(inputs).flatMap(([name, cases]) => {
    const tool = tools.get(name);
    if (tool === undefined) throw new Error(`There is no tool ${name}.`);
    return Object.entries(cases).map(([label, input]) => ({ tool, name: label, input }));
  });
}

/** What a call is refused for is not measured: it has cost less. */
async function measure(
  thread: BenchThread,
  cases: readonly Case[],
  drafts: readonly EntityDraft[],
): Promise<Found[]> {
  const found: Found[] = [];
  for (const [index, { tool, name, input }] of cases.entries()) {
    const subject = subjectAt(thread, drafts, HUB.relations + 1 + index * PLACES_APART);
    try {
      for (const step of input ? [] : (tool.example.given ?? [])) {
        await thread.call(step.tool, step.input);
      }
      const given = input ? input(subject) : tool.example.input;
      const before = await timeLoop();
      const call = await thread.call(tool.name, given);
      const loop = (before + (await timeLoop())) / 2;
      found.push({ ...call, tool: tool.name, name, load: loop });
      tell(tool.name, name, call, loop);
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error;
    }
    // The clock of the platform moves on when something else has had its turn.
    await scheduler.wait(1);
  }
  return found.map((one) => ({ ...one, load: one.load / fastestLoop }));
}

/** Milliseconds of a loop at its fastest: so short that now and then nothing comes in between. */
let fastestLoop = Infinity;
const LOOPS = 6;

/** Milliseconds of a loop that is always the same: on a busy machine it takes as much longer as a call does. */
async function timeLoop(): Promise<number> {
  let sum = 0;
  for (let loop = 0; loop < LOOPS; loop += 1) {
    await scheduler.wait(1);
    const startedAt = performance.now();
    const hash = hashOn();
    const ms = performance.now() - startedAt + (hash === 0 ? 1 : 0);
    fastestLoop = Math.min(fastestLoop, Math.max(ms, 0.1));
    sum += ms;
  }
  return sum / LOOPS;
}

function hashOn(): number {
  let hash = 1;
  for (let step = 0; step < 4_000_000; step += 1) hash = (Math.imul(hash, 31) + step) | 0;
  return hash;
}

/** While the benchmark runs: what a slow call spent its time on. */
function tell(tool: string, name: string, { ms, storeCalls }: MeasuredCall, loop: number): void {
  if (ms < TOLD_FROM_MS) return;
  const byName = Object.entries(Object.groupBy(storeCalls, (call) => call.name))
    .map(([part, calls = []]) => ({ part, ms: calls.reduce((sum, call) => sum + call.ms, 0) }))
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 5);
  const parts = byName.map((one) => `${one.part} ${formatMilliseconds(one.ms)}`).join(', ');
  console.log(
    `${tool} (${name}): ${formatMilliseconds(ms)}, load ${formatTimes(loop / fastestLoop)}; ${parts}`,
  );
}

function tabulate(found: readonly Found[]): BenchTable {
  const byTool = Map.groupBy(found, ({ tool }) => tool);
  const worst = [...byTool.values()]
    .map((calls) => calls.reduce((most, call) => (quiet(call) > quiet(most) ? call : most)))
    .toSorted((a, b) => quiet(b) - quiet(a));
  return {
    name: 'worst',
    head: ['Tool', 'Call', 'Time', 'Load', 'Time / load', 'Rows read', 'Rows written'],
    rows: worst.map((call) => [
      `\`${call.tool}\``,
      call.name,
      formatMilliseconds(call.ms),
      formatTimes(call.load),
      formatMilliseconds(quiet(call)),
      formatCount(call.rowsRead),
      formatCount(call.rowsWritten),
    ]),
  };
}

/** The time of a call as it would be if nothing else ran. */
function quiet({ ms, load }: Found): number {
  return ms / load;
}
