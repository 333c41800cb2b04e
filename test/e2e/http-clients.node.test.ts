/** Clients that speak plain HTTP to the real server: one generated from its description, and curl. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { generateSource } from 'oazapfts';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { PORTFOLIO } from '#tools/core/save-input.ts';
import { ROOT, startWranglerDev } from '../../scripts/support/dev-server.ts';

const run = promisify(execFile);

const server = { url: inject('serverUrl') };

describe('a client generated from /openapi.json', () => {
  let directory: string;
  beforeAll(async () => {
    // Inside of the project, since what is generated imports the generator's runtime.
    mkdirSync(join(ROOT, 'dist'), { recursive: true });
    directory = mkdtempSync(join(ROOT, 'dist/client-'));
    const source = await generateSource(`${server.url}/openapi.json`);
    writeFileSync(join(directory, 'skein.ts'), source);
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  test('saves, reads, corrects and deletes, at the address that the description names', async () => {
    const skein = await importClient();

    const saved = await skein.saveMemory('generated', { entities: PORTFOLIO });
    const opened = await skein.openNodes('generated', { names: ['Andrii'], detail: 'full' });
    const [{ id }] = opened.data.entities[0].observations;
    const corrected = await skein.updateObservation('generated', {
      entityName: 'Andrii',
      observationId: id,
      newContent: 'Worked at Google until May',
    });
    const deleted = await skein.deleteEntities('generated', { entityNames: ['Portfolio'] });
    const read = await skein.readGraph('generated', {});

    expect(skein.defaults.baseUrl).toBe(server.url);
    expect(saved).toMatchObject({ status: 200, data: { success: true, created: { entities: 3 } } });
    expect(corrected.status).toBe(200);
    expect(deleted.status).toBe(200);
    expect(read.data.entities.map(({ name }: { name: string }) => name)).toEqual([
      'Andrii',
      'Python Scripts',
    ]);
    expect(read.data.entities[0].observations).toContain('Worked at Google until May');
  });

  test('works on nodes of several owners, and on the routes that are no tools', async () => {
    const skein = await importClient();

    const made = await skein.createNode('generated', { text: 'It rains', owner_id: 'bob' });
    const mine = await skein.getNode('generated', { node_id: made.data.node.id });
    const his = await skein.getNode('generated', { node_id: 'mem_1', owner_id: 'bob' });
    const health = await skein.getThreadHealth('generated');
    const exported = await skein.exportThread('generated', { format: 'dot' });

    expect(made).toMatchObject({ status: 200, data: { node: { owner_id: 'bob' } } });
    expect(mine).toMatchObject({ status: 404, data: { code: 'memory_not_found' } });
    expect(his).toMatchObject({ status: 200, data: { node: { text: 'It rains' } } });
    expect(health).toMatchObject({ status: 200, data: { threadId: 'generated' } });
    expect(exported).toMatchObject({ status: 200, data: expect.stringMatching(/^digraph/) });
  });

  test('gets refusals and errors as data', async () => {
    const skein = await importClient();
    const lonely = { name: 'Ada', entityType: 'Person', observations: ['Ada'] };

    const refused = await skein.saveMemory('generated', { entities: [lonely] });
    const wrong = await skein.readGraph('generated', { limit: 'ten' });
    const forbidden = await skein.deleteEntities(
      'generated',
      { entityNames: ['Andrii'] },
      { $readonly: '1' },
    );

    expect(refused).toMatchObject({
      status: 422,
      data: { success: false, created: { entities: 0 } },
    });
    expect(wrong).toMatchObject({
      status: 400,
      data: { error: { code: 'invalid_input', faults: [{ path: 'limit' }] } },
    });
    expect(forbidden).toMatchObject({ status: 403, data: { error: { code: 'forbidden' } } });
  });

  test('has types that a strict compiler accepts, and that refuse a wrong argument', async () => {
    const calls = join(directory, 'calls.ts');
    writeFileSync(calls, TYPED_CALLS);
    const options =
      '--ignoreConfig --noEmit --strict --skipLibCheck --module esnext --moduleResolution bundler';
    const lib = '--target es2022 --lib es2022,dom,dom.iterable';
    const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), ...`${options} ${lib}`.split(' ')];

    const { stdout } = await run(process.execPath, [...tsc, calls], { cwd: directory }).catch(
      (error: { stdout: string }) => error,
    );

    expect(stdout).toBe('');
  });

  /** The types of what does not exist yet are none. */
  async function importClient(): Promise<Record<string, any>> {
    return import(/* @vite-ignore */ pathToFileURL(join(directory, 'skein.ts')).href);
  }
});

test('the daily event writes a changed thread to a file, which is downloaded and restored', async () => {
  // A server of npm start sets no event off for a client.
  await using dev = await startWranglerDev();
  // Wrangler's explorer would read and write every store, whatever credentials the Worker asks for.
  for (const path of ['storage/kv/namespaces', 'd1/database', 'r2/buckets']) {
    for (const base of ['/cdn-cgi/local/explorer/api', '/cdn-cgi/explorer/api']) {
      const answer = await fetch(`${dev.url}${base}/${path}`);
      expect([path, answer.status, await answer.text()]).toEqual([path, 404, expect.any(String)]);
    }
  }
  const call = (tool: string, input: object) =>
    askJson(
      `/api/threads/kept/tools/${tool}`,
      { method: 'POST', body: JSON.stringify(input) },
      dev.url,
    );
  await call('save_memory', { entities: PORTFOLIO });
  const graph = await call('read_graph', {});
  // The thread tells its directory of itself by an alarm.
  await vi.waitFor(async () => {
    const { threads } = await call('list_threads', {});
    expect(threads).toContainEqual(expect.objectContaining({ threadId: 'kept' }));
  });

  const event = await fetch(`${dev.url}/cdn-cgi/local/scheduled?cron=17+3+*+*+*`);
  await event.text();
  const { file } = await vi.waitFor(async () => {
    const { backup } = await call('healthcheck', {});
    expect(backup.file).toMatch(/^backup-.+\.jsonl$/);
    return backup;
  });
  const download = await fetch(`${dev.url}/api/threads/kept/files/${file}`);
  const [header = ''] = (await download.text()).split('\n');
  const missing = await askJson('/api/threads/kept/files/backup.jsonl', {}, dev.url);
  await call('delete_thread', { confirm: 'kept' });
  const restored = await call('import_database', { file });

  expect(event.status).toBe(200);
  expect(JSON.parse(header)).toMatchObject({ type: 'header', threadId: 'kept' });
  expect(missing.error.hint).toBe(`Its newest files: ${file}.`);
  expect(restored).toMatchObject({ historyRestored: true });
  expect(await call('read_graph', {})).toEqual(graph);
});

async function askJson(path: string, init: RequestInit = {}, url = server.url): Promise<any> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, { headers, ...init });
  return response.json();
}

test('the examples of docs/use/http.md are true', async () => {
  const page = readFileSync(join(ROOT, 'docs/use/http.md'), 'utf8');
  const examples = [...page.matchAll(/```sh\n(.+?)\n```\n+```(json|text)\n(.+?)\n```/gs)];

  for (const [, command = '', format, expected = ''] of examples) {
    const { stdout } = await run('sh', [
      '-c',
      command.replace('http://localhost:8787', server.url),
    ]);

    if (format === 'json') expect(JSON.parse(stdout)).toEqual(JSON.parse(expected));
    else expect(stdout).toBe(expected);
  }

  expect(examples).toHaveLength(page.match(/^curl /gm)?.length ?? 0);
});

const TYPED_CALLS = `
import { saveMemory, openNodes, type SaveMemoryOutput } from './skein';

export async function call(): Promise<number> {
  const saved = await saveMemory('typed', { entities: [] });
  if (saved.status === 422) return saved.data.errors?.length ?? 0;
  if (saved.status !== 200) return saved.data.error.message.length;
  const output: SaveMemoryOutput = saved.data;
  return output.created.entities;
}

// @ts-expect-error Names are a list.
export const wrong = openNodes('typed', { names: 'Ada' });
`;
