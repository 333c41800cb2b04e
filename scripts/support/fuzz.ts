/** Sends hostile inputs to a server, and looks at each answer, at what is left, and at its memory. */
import { REQUEST_BODY_BYTES_MAX } from '#limits.ts';
import { selectTools } from '#tools/catalog.ts';
import type { DevServer } from './dev-server.ts';
import { SECRET, findOffence, hostileInputs } from './hostile-inputs.ts';
import { readMemory, type MemorySample } from './server-memory.ts';

export interface Offence {
  readonly tool: string;
  readonly args: string;
  readonly offence: string;
  readonly body: string;
}

export interface FuzzReport {
  readonly outcomes: { readonly ok: number; readonly refused: number };
  readonly offences: readonly Offence[];
  /** Sentences about threads that are not sound any more. */
  readonly faults: readonly string[];
  /** Taken at even distances, the last one after the last call. */
  readonly memory: readonly MemorySample[];
  /** Calls whose arguments held the secret. */
  readonly secretsSent: number;
}

export interface FuzzOptions {
  readonly calls: number;
  readonly seed: number;
  /** Told how it goes, `SAMPLES` times. */
  readonly onSample?: (calls: number, memory: MemorySample) => void;
}

/** A thread that has grown to the size of a page is asked the same things again and again. */
const CALLS_PER_THREAD = 1_000;
const SAMPLES = 40;

export async function fuzz(
  server: DevServer,
  { calls, seed, onSample }: FuzzOptions,
): Promise<FuzzReport> {
  // A stopped thread refuses all the rest.
  const tools = selectTools('all', { isReadonly: false, isBound: true }).tools.filter(
    ({ name }) => name !== 'stop_database',
  );
  const { argumentsFor, pick } = hostileInputs(seed);
  const outcomes = { ok: 0, refused: 0 };
  const offences: Offence[] = [];
  const memory: MemorySample[] = [];
  let secretsSent = 0;
  for (let call = 0; call < calls; call += 1) {
    const tool = pick(tools);
    const args = argumentsFor(tool);
    if (args.includes(SECRET)) secretsSent += 1;
    const { status, body } = await callTool(server, threadOf(call), tool.name, args);
    const offence = status === NO_ANSWER ? findSilence(args) : findOffence(status, body);
    if (offence !== undefined) offences.push({ tool: tool.name, args, offence, body });
    outcomes[body.includes('"isError":true') ? 'refused' : 'ok'] += 1;
    if (call + 1 < (calls / SAMPLES) * (memory.length + 1)) continue;
    const sample = readMemory(server);
    memory.push(sample);
    onSample?.(call + 1, sample);
  }
  const threads = Array.from({ length: Math.ceil(calls / CALLS_PER_THREAD) }, (_, index) =>
    threadOf(index * CALLS_PER_THREAD),
  );
  const faults = await Promise.all(threads.map((threadId) => verify(server, threadId)));
  return { outcomes, offences, faults: faults.flat(), memory, secretsSent };
}

function threadOf(call: number): string {
  return `fuzz-${Math.floor(call / CALLS_PER_THREAD)}`;
}

/**
 * A body beyond the limit is refused before it is read: a client that is still writing then may find
 * the connection closed before it comes to the answer. Any other call has one.
 */
function findSilence(args: string): string | undefined {
  return Buffer.byteLength(args) > REQUEST_BODY_BYTES_MAX ? undefined : 'no answer';
}

/** Where a status would be, of a call upon which the connection broke. */
const NO_ANSWER = 0;

async function callTool(server: DevServer, threadId: string, name: string, args: string) {
  try {
    return await postCall(server, threadId, name, args);
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return { status: NO_ANSWER, body: `${String(cause)}\n${server.log().slice(-2_000)}` };
  }
}

async function postCall(server: DevServer, threadId: string, name: string, args: string) {
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } });
  const response = await fetch(`${server.url}/mcp/${threadId}?toolsets=all`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    // As text: the arguments have keys that an object literal would not keep.
    body: call.replace(/\}\}$/, () => `,"arguments":${args}}}`),
  });
  return { status: response.status, body: await response.text() };
}

async function verify(server: DevServer, threadId: string): Promise<string[]> {
  const response = await fetch(`${server.url}/api/threads/${threadId}/verify`);
  const { faults } = (await response.json()) as { faults?: { rule: string; rows: number }[] };
  if (faults === undefined) return [`${threadId} cannot be verified: status ${response.status}.`];
  return faults.map(({ rule, rows }) => `${rule} (${threadId}, ${rows} rows)`);
}
