/** How much memory each process of a server holds, and whether that ends somewhere. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { DevServer } from './dev-server.ts';

/** `worker` is the workerd that runs our code; `server` what started it. */
export type ProcessRole = 'worker' | 'server';

/** Resident megabytes of the processes of each role. */
export type MemorySample = Readonly<Record<ProcessRole, number>>;

export interface Steadiness {
  readonly isSteady: boolean;
  /** Megabytes: medians of the second and of the last quarter of the values. */
  readonly early: number;
  readonly late: number;
}

/** What may be added from the second quarter of a run, by which every cache is full, to the last. */
export interface Allowance {
  readonly share: number;
  readonly megabytes: number;
}

/** The engine tells of each collection, and has as much room as a Worker has on Cloudflare. */
export const TRACED_HEAP = ['--trace-gc', '--max-old-space-size=128'];

/**
 * Of a process that also holds the engine, pages of databases, and the garbage of some two dozen
 * isolates of wrangler's own (assets, R2, KV and so on), each collected when it pleases: wide enough
 * for those, and too narrow for whatever would stay of every call.
 */
export const RESIDENT_ALLOWANCE: Allowance = { share: 0.25, megabytes: 50 };
/** Of what is in use: later threads may hold a little more than earlier ones, and that is all. */
export const HEAP_ALLOWANCE: Allowance = { share: 0.1, megabytes: 3 };

/** Zeros where nobody tells, which is everywhere but on Linux. */
export function readMemory(server: DevServer): MemorySample {
  const sample = { worker: 0, server: 0 };
  eachProcess(server, (id) => {
    sample[roleOf(id)] += megabytesOf(id);
  });
  return sample;
}

/** That the engine has used so far; 0 where nobody tells. */
export function readCpuSeconds(server: DevServer): number {
  let seconds = 0;
  eachProcess(server, (id) => {
    if (roleOf(id) === 'worker') seconds += cpuSecondsOf(id);
  });
  return seconds;
}

function eachProcess(server: DevServer, visit: (id: string) => void): void {
  const entries = process.platform === 'linux' ? readdirSync('/proc') : [];
  for (const id of entries.filter((entry) => /^\d+$/.test(entry))) {
    try {
      if (groupOf(id) === server.groupId) visit(id);
    } catch {
      // It has ended meanwhile.
    }
  }
}

/**
 * Megabytes that each full collection has left in the heap of our code, oldest first: what is really
 * in use. Of the server's isolates it is the one whose heap was the largest.
 */
export function readHeaps(log: string): number[] {
  const collections = [...log.matchAll(FULL_COLLECTION)].map(([, isolate, before, after]) => ({
    isolate,
    before: Number(before),
    after: Number(after),
  }));
  const largest = collections.toSorted((a, b) => b.before - a.before)[0]?.isolate;
  return collections.filter(({ isolate }) => isolate === largest).map(({ after }) => after);
}

/** Such as `[18067:0x31ccbfcce000] 8724 ms: Mark-Compact 35.1 (55.2) -> 19.8 (52.2) MB, …`. */
const FULL_COLLECTION =
  /^\[(\d+:0x[0-9a-f]+)[^\]]*\].* ms: Mark-Compact[^\d]*([\d.]+) \(.*?-> ([\d.]+) /gm;

/** Compares two quarters of a run; fewer than eight values say nothing. */
export function judgeSteadiness(
  values: readonly number[],
  { share, megabytes }: Allowance,
): Steadiness | undefined {
  const quarter = Math.floor(values.length / 4);
  if (quarter < 2) return undefined;
  const early = median(values.slice(quarter, 2 * quarter));
  const late = median(values.slice(-quarter));
  return { isSteady: late <= early * (1 + share) + megabytes, early, late };
}

/** From the state on: the name before it may contain anything. */
function fieldsOf(id: string): string[] {
  return readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
}

function groupOf(id: string): number {
  return Number(fieldsOf(id)[2]);
}

/** Its own and the kernel's for it, which Linux counts in hundredths. */
function cpuSecondsOf(id: string): number {
  const fields = fieldsOf(id);
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function roleOf(id: string): ProcessRole {
  const command = basename(readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0')[0] ?? '');
  return command === 'workerd' ? 'worker' : 'server';
}

function megabytesOf(id: string): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes ?? 0) / 1_024);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
