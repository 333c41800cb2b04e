import { resolve } from 'node:path';
import { cloudflareTest } from '@cloudflare/vitest-pool-workers';
import { defineConfig } from 'vitest/config';

const ROOT = resolve(import.meta.dirname, '..');

/** What is measured inside workerd, on real SQLite. Run by `bench/run.ts`, never by `npm test`. */
export default defineConfig({
  root: ROOT,
  plugins: [
    cloudflareTest({
      wrangler: { configPath: resolve(ROOT, 'wrangler.toml') },
      remoteBindings: false,
    }),
  ],
  test: {
    include: ['bench/workerd/*.bench.ts'],
    // Seeding 50,000 entities takes a while on a shared machine.
    testTimeout: 3_600_000,
    hookTimeout: 3_600_000,
  },
});
