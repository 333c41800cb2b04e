import { cloudflareTest } from '@cloudflare/vitest-pool-workers';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * Three projects. `workers` runs `*.test.ts` inside workerd on real SQLite. `node` runs
 * `*.node.test.ts`, which read files and call pure functions. `e2e` runs `test/e2e`, whose tests
 * start servers, browsers and the wrangler CLI. `npm test` runs the first two.
 */
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
        // Else packages whose source maps lead nowhere fill the screen with warnings.
        logLevel: 'error',
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            remoteBindings: false,
            // Each test begins threads of its own.
            miniflare: { bindings: { MAX_THREADS: '100000', MAX_NEW_THREADS_PER_HOUR: '100000' } },
          }),
        ],
        test: {
          name: 'workers',
          setupFiles: [
            'test/support/properties.ts',
            'test/support/pool/short-prototypes.ts',
            'test/support/pool/direct-imports.ts',
            'test/support/pool/kept-logs.ts',
            'test/support/pool/ended-objects.ts',
          ],
          // `kept-logs.ts` says why.
          disableConsoleIntercept: true,
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
          exclude: ['test/e2e/**'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          setupFiles: ['test/support/properties.ts'],
          globalSetup: ['test/e2e/shared-server.ts'],
          include: ['test/e2e/**/*.node.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
