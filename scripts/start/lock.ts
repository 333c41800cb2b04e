/** One server at a time on a directory of threads: two would write to the same databases. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../support/command-error.ts';

/** A process: its number comes again after a restart of the machine, its number and its start do not. */
interface Holder {
  readonly pid: number;
  /** Where the system tells it, on Linux: clock ticks from the start of the machine. */
  readonly startedAt: string | null;
}

/**
 * Takes the lock of a directory; the result gives it back. Throws a `CommandError` when a process
 * that is alive has it. The lock of one that is gone is taken over.
 */
export function lockState(directory: string): () => void {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'npm-start.lock');
  const own = `${path}.${process.pid}`;
  writeFileSync(own, JSON.stringify(describe(process.pid)));
  try {
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      if (tryLink(own, path)) return () => rmSync(path, { force: true });
      removeStale(path, `${own}.stale`, directory);
    }
  } finally {
    rmSync(own, { force: true });
  }
  throw new CommandError(`The lock ${path} cannot be taken. Remove it if no server is running.`);
}

/** A link is made whole or not at all, so that nobody reads half a lock. */
function tryLink(from: string, path: string): boolean {
  try {
    linkSync(from, path);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Another start may have the same in mind: what was taken away is looked at again, and put back. */
function removeStale(path: string, aside: string, directory: string): void {
  if (isHeld(path, directory)) return;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  try {
    isHeld(aside, directory);
  } catch (error) {
    tryLink(aside, path);
    throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Throws when the process of a lock is alive; true when there is no lock to look at. */
function isHeld(path: string, directory: string): boolean {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return true;
  }
  const holder = parse(text);
  if (holder === undefined || !isAlive(holder)) return false;
  throw new CommandError(
    `Another server (process ${holder.pid}) is using ${directory}. Stop it, or choose another directory by --persist-to.`,
  );
}

function parse(text: string): Holder | undefined {
  try {
    const { pid, startedAt } = JSON.parse(text) as Holder;
    return Number.isInteger(pid) && pid > 0 ? { pid, startedAt } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive({ pid, startedAt }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!isCode(error, 'EPERM')) return false;
  }
  return describe(pid).startedAt === startedAt;
}

/** The name before the fields may contain anything. The 22nd field is the start. */
function describe(pid: number): Holder {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
    return { pid, startedAt: fields?.[19] ?? null };
  } catch {
    return { pid, startedAt: null };
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
