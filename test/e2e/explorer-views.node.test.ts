/** Each view of the explorer in Chromium: what axe finds on it, and how large the first one is. Skipped without a browser. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ROOT } from '../../scripts/support/dev-server.ts';
import { findChromium, launchChromium } from '../support/node/chromium.ts';
import { findBarriers, openExplorer, seedExplorer } from '../support/node/explorer-page.ts';

const PICTURES = join(ROOT, 'results/explorer');
const executablePath = findChromium();
const SCRIPT_BYTES_MAX = 170 * 1024;

describe.skipIf(executablePath === undefined)('in a browser', () => {
  const origin = inject('serverUrl');
  let browser: Browser;
  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    browser = await launchChromium(executablePath);
  });
  afterAll(() => browser?.close());

  test.each([
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)(
    'axe finds nothing serious on any view, %i pixels wide and %s',
    async (width, theme) => {
      const thread = 'explorer-views';
      await seedExplorer(origin, thread);
      await using opened = await openExplorer(browser, {
        viewport: { width, height: 800 },
        colorScheme: theme,
      });
      const { page, faults } = opened;
      for (const [name, path] of Object.entries(viewsOf(thread))) {
        await page.goto(origin + path);
        await settle(page);
        await page.screenshot({ path: join(PICTURES, `${name}-${theme}-${width}.png`) });

        expect([name, await findBarriers(page)]).toEqual([name, []]);
        expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
          name,
          width,
        ]);
      }
      expect(faults()).toEqual([]);
    },
  );

  test('the first view loads at most 170 KiB of script', () => {
    const folder = join(ROOT, 'dist/assets/ui');
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Record<
      string,
      { readonly file: string; readonly isEntry?: boolean; readonly imports?: readonly string[] }
    >;
    const entry = Object.values(manifest).find(({ isEntry }) => isEntry);
    const files = [entry, ...(entry?.imports ?? []).map((name) => manifest[name])];
    const bytes = files.map((one) => gzipSync(readFileSync(join(folder, one?.file ?? ''))).length);

    expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(SCRIPT_BYTES_MAX);
  });
});

function viewsOf(thread: string): Record<string, string> {
  return {
    home: '/',
    graph: `/t/${thread}/graph`,
    card: `/t/${thread}/graph?entity=eta-engine`,
    ask: `/t/${thread}/ask?q=refreshed`,
    history: `/t/${thread}/history`,
    sessions: `/t/${thread}/sessions`,
    overview: `/t/${thread}/overview`,
    files: `/t/${thread}/files`,
    empty: '/t/explorer-not-yet/graph',
  };
}

async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(300);
}
