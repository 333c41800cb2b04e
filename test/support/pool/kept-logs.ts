/**
 * Keeps what the Worker logs and shows it for a test that failed. Vitest's own `silent: 'passed-only'`
 * sends each line to its process and waits for the answer, from whichever object logs:
 * `direct-imports.ts` says what that does to a run.
 */
import { beforeEach } from 'vitest';

const METHODS = ['log', 'info', 'warn', 'error'] as const;

/** Shared by all files of a runtime, each of which runs this module again. */
const logs = globalThis as typeof globalThis & {
  keptLogs?: { lines: unknown[][]; show(...values: unknown[]): void };
};
logs.keptLogs ??= keepLogs();

function keepLogs() {
  const kept = { lines: [] as unknown[][], show: console.error.bind(console) };
  for (const method of METHODS) {
    console[method] = (...values: unknown[]) => void kept.lines.push(values);
  }
  return kept;
}

beforeEach(({ onTestFailed }) => {
  const { keptLogs } = logs;
  if (keptLogs === undefined) return;
  keptLogs.lines = [];
  onTestFailed(() => {
    for (const values of keptLogs.lines) keptLogs.show(...values);
  });
});
