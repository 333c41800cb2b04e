/** Journeys through the explorer in Chromium. Skipped without a browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startDevServer } from '../../scripts/support/dev-server.ts';
import { findChromium, launchChromium } from '../support/node/chromium.ts';
import { callTool, openExplorer, seedExplorer } from '../support/node/explorer-page.ts';

const executablePath = findChromium();
const PASSPHRASE = 'correct horse battery staple';

/** Markup, a sign of direction, and a very long word; a turn may hold control characters too. */
const HOSTILE = `<img src=x onerror=alert(1)> \u202Etxt ${'w'.repeat(40)}`;

describe.skipIf(executablePath === undefined)('in a browser', () => {
  const origin = inject('serverUrl');
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(executablePath);
  });
  afterAll(() => browser?.close());

  test('a found fact is corrected, and the correction is taken back', async () => {
    const thread = 'explorer-correct';
    await seedExplorer(origin, thread);
    await using opened = await openExplorer(browser);
    const { page, faults } = opened;
    await page.goto(`${origin}/t/${thread}/ask`);
    await page.getByLabel('A question or words').fill('How often are ETAs refreshed?');
    await page.keyboard.press('Enter');
    await page.getByText('Recalled from memory').waitFor();
    await page
      .getByRole('link', { name: /^obs_\d+$/ })
      .first()
      .click();

    const card = page.getByRole('complementary');
    await card.locator('.marked').waitFor();
    await card.getByText('Refreshes ETAs every 5 minutes').hover();
    await card.getByRole('button', { name: 'Correct this fact' }).first().click();
    await card.getByRole('textbox').fill('Refreshes ETAs every 90 seconds');
    await card.getByText('Writes version 2.').waitFor();
    await card.getByRole('button', { name: 'Correct', exact: true }).click();
    await card.getByText('Refreshes ETAs every 90 seconds').waitFor();
    await page.getByRole('button', { name: /^Undo/ }).click();
    await card.getByText('Refreshes ETAs every 5 minutes').waitFor();

    expect(faults()).toEqual([]);
  });

  test('history shows a moment of the past, where nothing can be written', async () => {
    const thread = 'explorer-past';
    await seedExplorer(origin, thread);
    await callTool(origin, thread, 'delete_entities', { entityNames: ['dock'] });
    await using opened = await openExplorer(browser);
    const { page, faults } = opened;
    await page.goto(`${origin}/t/${thread}/history`);
    await page.getByRole('slider').press('Home');
    await page.getByText('Nothing can be written here.').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('g');
    await page.getByRole('button', { name: 'Table' }).click();

    await page.getByRole('button', { name: 'dock' }).waitFor();
    await page.getByRole('button', { name: 'dock' }).click();
    await page.getByRole('complementary').getByText('Opens at six').waitFor();
    expect(await page.getByRole('button', { name: 'Rename' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Return to now' }).click();
    await page.getByText('This entity does not exist.').waitFor();
    expect(faults()).toEqual([]);
  });

  test('the keyboard walks along relations, opens the card and goes back', async () => {
    const thread = 'explorer-keys';
    await seedExplorer(origin, thread);
    await using opened = await openExplorer(browser);
    const { page, faults } = opened;
    await page.goto(`${origin}/t/${thread}/graph`);
    const canvas = page.getByRole('application');
    await canvas.locator('canvas').first().waitFor();
    await canvas.focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('eta-engine, Service, 1 neighbours').waitFor({ state: 'attached' });
    await expect
      .poll(async () => {
        for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
          await page.keyboard.press(key);
          if (new URL(page.url()).searchParams.get('entity') === 'dock') return 'dock';
        }
        return 'eta-engine';
      })
      .toBe('dock');
    await page.keyboard.press('Enter');
    expect(await page.evaluate("document.activeElement.closest('.card') !== null")).toBe(true);
    await page.getByRole('complementary').getByText('Opens at six').waitFor();
    await page.keyboard.press('a');
    await page.getByRole('textbox', { name: 'A new fact about dock' }).fill('Has two gates');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary').getByText('Has two gates').waitFor();
    await page.keyboard.press('u');
    await page.getByText(/Revision \d+ undone/).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => new URL(page.url()).searchParams.get('entity')).toBeNull();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    expect(faults()).toEqual([]);
  });

  test('a first visit connects a client, loads the sample, and one undo removes it', async () => {
    await using server = await startDevServer();
    await using opened = await openExplorer(browser, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page, faults } = opened;
    await page.goto(server.url);
    await page.getByRole('heading', { name: 'No memory yet' }).waitFor();
    await page.getByRole('button', { name: 'Copy the line for Claude Code' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `claude mcp add --transport http skein ${server.url}/mcp`,
    );
    await page.getByRole('button', { name: 'Load a sample memory' }).click();
    await page.getByText('3 entities').waitFor();
    await page.getByRole('button', { name: 'List' }).click();
    await page.getByRole('button', { name: 'Andrii' }).click();
    await page.getByRole('complementary').getByText('Works at Google').waitFor();

    await page
      .getByRole('navigation', { name: 'Views of this thread' })
      .getByText('History')
      .click();
    await page.getByRole('button', { name: 'Undo 1' }).click();
    await page.getByText('Revision 1 undone.').waitFor();
    await page.keyboard.press('u');
    await page.getByText('Revision 2 undone.').waitFor();
    expect(faults()).toEqual([]);
  });

  test('a file with a faulty line is looked at, imported as far as it fits, and taken back', async () => {
    const thread = 'explorer-import';
    await seedExplorer(origin, thread);
    await using opened = await openExplorer(browser);
    const { page } = opened;
    await page.goto(`${origin}/t/${thread}/files`);
    const lines = [
      '{"type":"entity","name":"dock","entityType":"Place","observations":["Opens at six"]}',
      '{"type":"entity","name":"yard","entityType":"Place","observations":["Holds 40 trucks"]}',
      '{"type":"entity","name":"broken"}',
    ];
    await page.getByLabel('File to import').setInputFiles({
      name: 'memory.jsonl',
      mimeType: 'application/jsonl',
      buffer: Buffer.from(lines.join('\n')),
    });
    await page.getByText('1 faulty line, nothing is written yet.').waitFor();
    await page.getByText('line 3').waitFor();
    const known = await page.getByRole('row', { name: /^Entities/ }).textContent();
    expect(known).toBe('Entities11');

    await page.getByRole('button', { name: 'Import it' }).click();
    await page.getByRole('alert').filter({ hasText: 'fault' }).first().waitFor();
    await page.getByRole('button', { name: 'Import what fits' }).click();
    await page.getByText(/^2 added|^[1-9]\d* added/).waitFor();
    await page.goto(`${origin}/t/${thread}/graph?entity=yard`);
    await page.getByRole('complementary').getByText('Holds 40 trucks').waitFor();
    await page.goto(`${origin}/t/${thread}/history`);
    await page.getByRole('button', { name: /^Undo \d+$/ }).click();
    await page.getByText(/^Revision \d+ undone\./).waitFor();
    await page.goto(`${origin}/t/${thread}/graph?entity=yard`);
    await page.getByText('This entity does not exist.').waitFor();
  });

  test('an owner signs in with the passphrase, and a token that reads sees no button that writes', async () => {
    await using server = await startDevServer({ vars: { OWNER_PASSPHRASE: PASSPHRASE } });
    await using owner = await openExplorer(browser);
    const { page } = owner;
    await page.goto(`${server.url}/t/freight/graph`);
    await page.getByLabel("The owner's passphrase").fill(PASSPHRASE);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Entity').fill('eta-engine');
    await page.getByLabel('Type').fill('Service');
    await page.getByLabel('A fact about it').fill('Runs in Rotterdam');
    await page.getByRole('button', { name: 'Add the entity' }).click();
    await page.getByText('Entity added.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/t/freight/graph');
    await page.goto(`${server.url}/settings`);
    await page.getByLabel('Name, shown in the history').fill('reader');
    await page.getByLabel('It may').selectOption('memory:read');
    await page.getByRole('button', { name: 'Make a token' }).click();
    const token = (await page.textContent('pre')) ?? '';

    await using guest = await openExplorer(browser);
    await guest.page.goto(`${server.url}/t/freight/graph?entity=eta-engine`);
    await guest.page.getByLabel('An API token').fill(token);
    await guest.page.getByRole('button', { name: 'Use this token' }).click();
    await guest.page.getByText('Runs in Rotterdam').waitFor();
    await guest.page.getByText('Your token reads only.').waitFor();
    for (const name of ['Rename', 'Add', 'Delete', 'Correct this fact', 'Merge into']) {
      expect([name, await guest.page.getByRole('button', { name }).count()]).toEqual([name, 0]);
    }
    await guest.page.goto(`${server.url}/t/freight/history`);
    await guest.page.getByRole('heading', { name: 'Revision 1' }).waitFor();
    expect(await guest.page.getByRole('button', { name: /Undo/ }).count()).toBe(0);
  });

  test('hostile names and facts are text on every view', async () => {
    const thread = 'explorer-hostile';
    await callTool(origin, thread, 'create_entities', {
      entities: [
        { name: HOSTILE, entityType: '<b>Type</b>', observations: [HOSTILE] },
        { name: 'plain', entityType: 'Thing' },
      ],
    });
    await callTool(origin, thread, 'add_memory', {
      sessionId: 's1',
      prompt: `\u0007${HOSTILE}`,
      thought: HOSTILE,
      response: HOSTILE,
    });
    await using opened = await openExplorer(browser);
    const { page, faults } = opened;
    for (const view of ['graph', 'ask?q=img', 'history', 'sessions?open=s1', 'overview']) {
      await page.goto(`${origin}/t/${thread}/${view}`);
      await page.waitForLoadState('networkidle');

      expect(await page.locator('img, main b:has-text("Type")').count()).toBe(0);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280);
    }
    await page.goto(`${origin}/t/${thread}/sessions?open=s1`);
    await page.getByText('␇<img src=x onerror=alert(1)> ⟂txt').first().waitFor();
    expect(faults()).toEqual([]);
  });
});
