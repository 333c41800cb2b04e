/**
 * The owner's pages in Chromium: sign-in, consent, settings, at the width of a phone. Where no
 * Chromium is installed the tests are skipped and say so; `.ci/run` installs one.
 */
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT, startDevServer, type DevServer } from '../../scripts/support/dev-server.ts';
import { findChromium, launchChromium } from '../support/node/chromium.ts';

const PASSPHRASE = 'correct horse battery staple';
const CALLBACK = 'http://127.0.0.1:49152/callback';
const PHONE = { width: 360, height: 740 };
const PICTURES = join(ROOT, 'results/pages');
const executablePath = findChromium();

if (executablePath === undefined) {
  console.warn(
    'The pages are not tested: there is no Chromium. On Debian: apt-get install chromium',
  );
}

describe.skipIf(executablePath === undefined)('in a browser', () => {
  let server: DevServer;
  let browser: Browser;
  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    server = await startDevServer({ vars: { OWNER_PASSPHRASE: PASSPHRASE } });
    browser = await launchChromium(executablePath);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  test('an owner signs in, reads what a client wants, and sends it a code', async () => {
    await using phone = await openPhone(browser);
    const { page, faults } = phone;
    await page.goto(await authorizationUrl(server.url, 'Claude'));
    await checkPage(page, 'sign-in');

    await page.getByLabel('passphrase').fill('not the passphrase');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('passphrase').fill(PASSPHRASE);
    await page.getByRole('button', { name: 'Sign in' }).click();

    await page.getByRole('heading', { name: 'Let Claude use your memory?' }).waitFor();
    await checkPage(page, 'consent');
    expect(await page.textContent('main')).toContain('127.0.0.1');
    expect(await page.getByRole('radio', { name: 'memory:write' }).isChecked()).toBe(true);
    await page.getByLabel('Threads it reaches').fill('atlas, team-*');
    // Nothing listens there: what counts is that the browser was let go.
    const left = page.waitForRequest((request) => request.url().startsWith(CALLBACK));
    await page.getByRole('button', { name: 'Allow' }).click();

    const { searchParams } = new URL((await left).url());
    expect(searchParams.get('code')).toMatch(/.+/);
    expect(searchParams.get('state')).toBe('the-state');
    expect(faults()).toEqual([]);
  });

  test.each([
    ['leads on to a page of another host', 'http://127.0.0.1', 'https://127.0.0.1:49153/done'],
    ['listens at IPv6', 'http://[::1]', undefined],
  ])('the browser is let go to a program that %s', async (_, host, further) => {
    await using phone = await openPhone(browser);
    const { page, faults } = phone;
    const program = createServer((_request, response) => {
      if (further === undefined) response.end('Done');
      else response.writeHead(302, { location: further }).end();
    }).listen(0, new URL(host).hostname.replaceAll(/[[\]]/g, ''));
    await once(program, 'listening');
    const callback = `${host}:${(program.address() as AddressInfo).port}/callback`;
    await page.goto(await authorizationUrl(server.url, 'Program', callback));
    await page.getByLabel('passphrase').fill(PASSPHRASE);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('radio', { name: 'memory:admin' }).check();
    const arrived = page.waitForRequest((request) => request.url().startsWith(further ?? callback));
    await page.getByRole('button', { name: 'Allow' }).click();

    await arrived;
    program.close();
    expect(faults()).toEqual([]);
  });

  test.each([
    [360, 'dark'],
    [1280, 'light'],
  ] as const)(
    'without script the first page shows the lines of every client, %s pixels wide and %s',
    async (width, colorScheme) => {
      await using screen = await openPhone(browser, {
        viewport: { width, height: 800 },
        colorScheme,
        javaScriptEnabled: false,
      });
      const { page, faults } = screen;
      await page.goto(server.url);
      for (const summary of (await page.locator('summary').all()).slice(1)) await summary.click();

      await page.screenshot({ path: join(PICTURES, `home-${width}-${colorScheme}.png`) });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      const blocks = page.locator('pre');
      const isVisible = await Promise.all((await blocks.all()).map((block) => block.isVisible()));
      expect(isVisible.length).toBeGreaterThan(8);
      expect(isVisible).not.toContain(false);
      // One click marks a whole line, to be copied.
      await blocks.nth(1).click();
      const marked = await page.evaluate('String(getSelection())');
      expect(marked).toBe(`claude mcp add --transport http skein ${server.url}/mcp`);
      await page.getByRole('link', { name: 'settings' }).click();
      await page.getByLabel('passphrase').waitFor();
      expect(faults()).toEqual([]);
    },
  );

  test('an owner makes a token, sees it once, and revokes it', async () => {
    await using phone = await openPhone(browser);
    const { page, faults } = phone;
    await page.goto(`${server.url}/settings`);
    await page.getByLabel('passphrase').fill(PASSPHRASE);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Name, shown in the history').fill('phone');
    await page.getByRole('button', { name: 'Make a token' }).click();
    await checkPage(page, 'new-token');

    const token = (await page.textContent('pre')) ?? '';
    expect(token).toMatch(/^skn_[\w-]{43}$/);
    const line = `--header "Authorization: Bearer ${token}"`;
    expect(await page.getByText(line).first().isVisible()).toBe(true);
    await page.reload();
    expect(await page.getByRole('button', { name: 'Revoke phone' }).count()).toBe(1);
    expect(await page.content()).not.toContain(token);
    const health = `${server.url}/api/threads/any/health`;
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(health, { headers })).status).toBe(200);
    await page.goto(`${server.url}/settings`);
    await checkPage(page, 'settings');
    expect(await page.content()).not.toContain(token);
    await page.getByRole('button', { name: 'Revoke phone' }).click();

    await page.getByText('There are none.').first().waitFor();
    expect((await fetch(health, { headers })).status).toBe(401);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('passphrase').waitFor();
    expect(faults()).toEqual([]);
  });
});

async function openPhone(browser: Browser, settings: BrowserContextOptions = {}) {
  const context = await browser.newContext({
    viewport: PHONE,
    deviceScaleFactor: 2,
    ...settings,
  });
  const page = await context.newPage();
  const lines: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && lines.push(message.text())));
  page.on('pageerror', (error) => void lines.push(error.message));
  return {
    page,
    /** What the browser's console complained of: blocked styles, forms, scripts. */
    faults: () => lines.filter((line) => !/status of 403|ERR_CONNECTION_REFUSED/.test(line)),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** Takes a picture, and sees that the page fits the phone and everything to press is large enough. */
async function checkPage(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
  const width = await page.evaluate('document.documentElement.scrollWidth');
  expect(width).toBeLessThanOrEqual(PHONE.width);
  const heights = await page
    .locator('button, input:not([type=hidden]):not([type=radio]), select')
    .evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().height));
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(40);
  const font = await page.evaluate("getComputedStyle(document.querySelector('main')).fontFamily");
  expect(font).toContain('system-ui');
}

async function authorizationUrl(
  origin: string,
  client_name: string,
  callback = CALLBACK,
): Promise<string> {
  const registered = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name,
      redirect_uris: [callback],
      token_endpoint_auth_method: 'none',
    }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: callback,
    state: 'the-state',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    resource: `${origin}/mcp`,
  });
  return `${origin}/authorize?${query}`;
}
