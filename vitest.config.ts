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
    // Properties draw the same examples in every run; `PROPERTY_SEED=$RANDOM npm test` draws others.
    // `PROPERTY_SCALE=10` draws ten times as many where an example costs some calls.
    provide: {
      propertySeed: Number(process.env['PROPERTY_SEED'] ?? 1),
      propertyScale: Number(process.env['PROPERTY_SCALE'] ?? 1),
    },
    projects: [
      {
        plugins: [
          cloudflareTest({ wrangler: { configPath: './wrangler.toml' }, remoteBindings: false }),
        ],
        test: {
          name: 'workers',
          setupFiles: ['test/support/properties.ts', 'test/support/short-prototypes.ts'],
          // Files share a runtime: to start one and import everything takes longer than most of them.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.node.test.ts'],
          // Shared machines are slow at times; no test asserts a duration.
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'node',
          setupFiles: ['test/support/properties.ts'],
          include: ['test/**/*.node.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
