/** The explorer in a browser, for tests: what it complains of, what axe finds, and how a memory comes into it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface ExplorerPage extends AsyncDisposable {
  readonly page: Page;
  /** Lines of the browser's console that tell of a fault, and errors of scripts. */
  readonly faults: () => readonly string[];
}

export async function openExplorer(
  browser: Browser,
  settings: BrowserContextOptions = {},
): Promise<ExplorerPage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    bypassCSP: false,
    ...settings,
  });
  const page = await context.newPage();
  const lines: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && lines.push(message.text())));
  page.on('pageerror', (error) => void lines.push(error.message));
  return {
    page,
    faults: () => lines,
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** Calls a tool by plain HTTP, as an agent would. Throws for an answer with a fault. */
export async function callTool(
  origin: string,
  threadId: string,
  tool: string,
  input: object,
): Promise<unknown> {
  const answer = await fetch(`${origin}/api/threads/${threadId}/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/** Serious and critical findings of axe, a line each. It runs past the policy of the page, from outside. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(`axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })
    .then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 160))))`);
}

/** Two services that depend on each other, and a session with its summary. */
export async function seedExplorer(origin: string, thread: string): Promise<void> {
  const relations = [{ targetEntity: 'dock', relationType: 'serves' }];
  await callTool(origin, thread, 'save_memory', {
    entities: [
      {
        name: 'eta-engine',
        entityType: 'Service',
        observations: ['Refreshes ETAs every 5 minutes', 'Runs in Rotterdam'],
        relations,
      },
      {
        name: 'dock',
        entityType: 'Place',
        observations: ['Opens at six'],
        relations: [{ targetEntity: 'eta-engine', relationType: 'asks' }],
      },
    ],
  });
  await callTool(origin, thread, 'add_memory', {
    sessionId: 'planning',
    prompt: 'How often are ETAs refreshed?',
    thought: 'By the timer.',
    response: 'Every five minutes.',
  });
  await callTool(origin, thread, 'summarize_sessions', {});
}
