/**
 * Crash safety: writers save until the server is killed in the middle of it. The next server on the
 * same directory must have every save that was acknowledged, and none by halves.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { makeScratch, removeScratch, startDevServer, type DevServer } from './dev-server.ts';
import {
  findViolations,
  isStored,
  type Chain,
  type EntityInput,
  type Journal,
  type Save,
  type Stored,
  type Version,
} from './journal.ts';
import { connectThread, type ThreadConnection } from './thread-connection.ts';

export interface TortureOptions {
  readonly rounds: number;
  readonly writers: number;
  readonly onRound?: (report: RoundReport) => void;
}

export interface RoundReport {
  readonly round: number;
  readonly killedAfterMs: number;
  /** Saves of this round that were answered. */
  readonly acknowledged: number;
  /** Saves of this round that were not answered, by what became of them. */
  readonly unanswered: { readonly stored: number; readonly absent: number };
  /** Updates of this round that were answered. */
  readonly updates: number;
  /** Of all threads, from this round and those before. */
  readonly entities: number;
  /** Those that are new in this round; what is broken once stays broken. */
  readonly violations: readonly string[];
}

/** Threads crash beside each other, and writers share them. */
const THREADS = ['torture-a', 'torture-b'];
const KILL_MS_MIN = 300;
const KILL_MS_MAX = 2_500;
const ENTITIES_PER_SAVE_MAX = 24;
/** The calls that supersede an observation; the others save. */
const UPDATE_SHARE = 0.3;

export async function torture(options: TortureOptions): Promise<RoundReport[]> {
  const stateDir = makeScratch();
  const journals = THREADS.map((threadId): Journal => ({ threadId, saves: [], chains: [] }));
  const reports: RoundReport[] = [];
  let server = await startDevServer({ persistTo: stateDir });
  try {
    for (let round = 1; round <= options.rounds; round += 1) {
      const crash = await writeUntilKilled(server, journals, { round, writers: options.writers });
      await server[Symbol.asyncDispose]();
      server = await startDevServer({ persistTo: stateDir });
      const told = reports.flatMap(({ violations }) => violations);
      const report = await inspect(server, journals, { round, told, ...crash });
      options.onRound?.(report);
      reports.push(report);
    }
  } finally {
    await server[Symbol.asyncDispose]();
    removeScratch(stateDir);
  }
  return reports;
}

interface Crash {
  readonly killedAfterMs: number;
  /** Calls that failed while the server was up. */
  readonly failures: readonly string[];
}

async function writeUntilKilled(
  server: DevServer,
  journals: readonly Journal[],
  { round, writers }: { round: number; writers: number },
): Promise<Crash> {
  const failures: string[] = [];
  let isUp = true;
  const writing = Array.from({ length: writers }, async (_, writer) => {
    const journal = journals[writer % journals.length] as Journal;
    try {
      await using thread = await connectThread(server.url, journal.threadId);
      await writeOn(thread, journal, { round, writer });
    } catch (error) {
      if (isUp) failures.push(`Writer ${writer} failed before the crash: ${String(error)}`);
    }
  });
  const isUnderLoad = () => savesOf(journals, round).some((entry) => entry.isAcknowledged);
  while (!isUnderLoad() && failures.length === 0) await wait(10);
  const killedAfterMs = Math.round(KILL_MS_MIN + Math.random() * (KILL_MS_MAX - KILL_MS_MIN));
  await wait(killedAfterMs);
  isUp = false;
  await server.kill();
  await Promise.all(writing);
  return { killedAfterMs, failures };
}

/** Goes on until a call fails. The journal is written before each call and after its answer. */
async function writeOn(
  thread: ThreadConnection,
  journal: Journal,
  { round, writer }: { round: number; writer: number },
): Promise<never> {
  const prefix = `round ${round} writer ${writer}`;
  const hub = `Hub of ${prefix}`;
  await save(thread, journal, { id: hub, round, entities: makeRing(hub, 2) });
  const chain = await openChain(thread, round, hub);
  journal.chains.push(chain);
  for (let count = 1; ; count += 1) {
    if (Math.random() < UPDATE_SHARE) {
      await supersede(thread, chain, `Version ${count} of what ${hub} says`);
    } else {
      const id = `${prefix} save ${count}`;
      const size = 2 + Math.floor(Math.random() * (ENTITIES_PER_SAVE_MAX - 1));
      await save(thread, journal, { id, round, entities: makeRing(id, size, hub) });
    }
  }
}

async function save(
  thread: ThreadConnection,
  journal: Journal,
  { id, round, entities }: Omit<Save, 'isAcknowledged'>,
): Promise<void> {
  const entry: Save = { id, round, entities, isAcknowledged: false };
  journal.saves.push(entry);
  const { isError, text } = await thread.call('save_memory', { entities });
  if (isError) throw new Error(text);
  entry.isAcknowledged = true;
}

async function openChain(
  thread: ThreadConnection,
  round: number,
  entityName: string,
): Promise<Chain> {
  const input = { entityName };
  const { value } = await thread.call<History>('get_observation_history', input);
  const [first] = value.history;
  if (first === undefined) throw new Error(`${entityName} has no observation.`);
  const { id, content } = first;
  return {
    round,
    entityName,
    observationId: id,
    contents: [content],
    acknowledged: 1,
    latestId: id,
  };
}

async function supersede(
  thread: ThreadConnection,
  chain: Chain,
  newContent: string,
): Promise<void> {
  const { entityName, latestId } = chain;
  chain.contents.push(newContent);
  const { value, isError, text } = await thread.call<{ observation: Version }>(
    'update_observation',
    { entityName, observationId: latestId, newContent },
  );
  if (isError) throw new Error(text);
  chain.acknowledged += 1;
  chain.latestId = value.observation.id;
}

/** Each entity points to the next, the last to the first, and all to the hub. */
function makeRing(id: string, size: number, hub?: string): EntityInput[] {
  const names = Array.from({ length: size }, (_, index) =>
    index === 0 ? id : `${id} part ${index}`,
  );
  return names.map((name, index) => ({
    name,
    entityType: 'Part',
    observations: [`${name} was saved`, `${name} is one of ${size} parts`].slice(0, index + 1),
    relations: [
      { targetEntity: names[(index + 1) % size] as string, relationType: 'comes before' },
      ...(hub === undefined ? [] : [{ targetEntity: hub, relationType: 'belongs to' }]),
    ],
  }));
}

async function inspect(
  server: DevServer,
  journals: readonly Journal[],
  { round, told, killedAfterMs, failures }: Crash & { round: number; told: readonly string[] },
): Promise<RoundReport> {
  const threads = await Promise.all(
    journals.map(async (journal) => ({ journal, stored: await readStored(server, journal) })),
  );
  const broken = await Promise.all(journals.map(({ threadId }) => verify(server, threadId)));
  const found = [
    ...threads.flatMap(({ journal, stored }) => findViolations(journal, stored)),
    ...broken.flat(),
  ];
  const saves = savesOf(journals, round);
  const unanswered = saves.filter(({ isAcknowledged }) => !isAcknowledged);
  const isThere = (save: Save) => threads.some(({ stored }) => isStored(save, stored));
  const stored = unanswered.filter(isThere).length;
  return {
    round,
    killedAfterMs,
    acknowledged: saves.length - unanswered.length,
    unanswered: { stored, absent: unanswered.length - stored },
    updates: journals
      .flatMap(({ chains }) => chains)
      .filter((chain) => chain.round === round)
      .reduce((sum, { acknowledged }) => sum + acknowledged - 1, 0),
    entities: threads.reduce((sum, { stored }) => sum + stored.entities.length, 0),
    violations: [...failures, ...found.filter((violation) => !told.includes(violation))],
  };
}

/** What the thread itself finds broken, from its counters and indexes to its history. */
async function verify(server: DevServer, threadId: string): Promise<string[]> {
  const response = await fetch(`${server.url}/api/threads/${threadId}/verify`);
  if (!response.ok) return [`${threadId} cannot be verified: status ${response.status}.`];
  const { faults } = (await response.json()) as { faults: { rule: string; rows: number }[] };
  return faults.map(({ rule, rows }) => `In ${threadId} it is not so that ${rule}: ${rows} rows.`);
}

function savesOf(journals: readonly Journal[], round: number): Save[] {
  return journals.flatMap(({ saves }) => saves).filter((entry) => entry.round === round);
}

async function readStored(server: DevServer, { threadId, chains }: Journal): Promise<Stored> {
  await using thread = await connectThread(server.url, threadId);
  const pages: Page[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page: Page = await read(thread, 'read_graph', { limit: 1_000, cursor });
    pages.push(page);
    cursor = page.nextCursor;
  }
  const histories = new Map<string, readonly Version[]>();
  for (const { entityName, observationId } of chains) {
    const input = { entityName, observationId };
    const { value, isError } = await thread.call<History>('get_observation_history', input);
    // Refused means lost, which is for the verifier to tell.
    histories.set(observationId, isError ? [] : value.history);
  }
  return {
    entities: pages.flatMap(({ entities }) => entities),
    relations: pages.flatMap(({ relations }) => relations),
    total: (pages.at(-1) as Page).total,
    histories,
  };
}

type Page = Omit<Stored, 'histories'> & { readonly nextCursor: string | null };

interface History {
  readonly history: readonly Version[];
}

async function read<Value>(
  thread: ThreadConnection,
  tool: string,
  input: Record<string, unknown>,
): Promise<Value> {
  const { value, isError, text } = await thread.call<Value>(tool, input);
  if (isError) throw new Error(`${tool}: ${text}`);
  return value;
}
