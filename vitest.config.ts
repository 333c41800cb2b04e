import { cloudflareTest } from '@cloudflare/vitest-pool-workers';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** `*.test.ts` runs inside workerd on real SQLite; `*.node.test.ts` drives processes and reads files. */
export default defineConfig({
  test: {
    // A log line a call would drown the results; those of a failed test are shown.
    silent: 'passed-only',
    // Vitest leaves a core to itself, which on two cores is half of the machine.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        plugins: [
          cloudflareTest({ wrangler: { configPath: './wrangler.toml' }, remoteBindings: false }),
        ],
        test: {
          name: 'workers',
          // Files share a runtime: to start one and import everything takes longer than most of them.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.node.test.ts'],
          // Shared machines are slow at times; no test asserts a duration.
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'node',
          include: ['test/**/*.node.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
