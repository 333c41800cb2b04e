/** What a benchmark found, as it is printed and documented. */

export interface BenchTable {
  /** Names the marks in `docs/contributing/benchmarks.md`. */
  readonly name: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Names of the tools that are measured; none for all of them. */
    only: readonly string[];
  }
}

/** What a benchmark inside workerd leaves in the `meta` of its test, for who started it. */
export interface BenchMeta {
  tables?: readonly BenchTable[];
}

/** With commas, and one decimal below ten. */
export function formatCount(value: number): string {
  const digits = Number.isInteger(value) || value >= 100 ? 0 : 1;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

/** How many times as much. */
export function formatTimes(ratio: number): string {
  return `${formatCount(Math.round(ratio * 10) / 10)}×`;
}

export function formatMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

export function formatMilliseconds(ms: number): string {
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

/** The least value that so many percent are not above (nearest rank). */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
