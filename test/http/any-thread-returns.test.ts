/** Whatever tools have stored comes back from its file: threads of hostile inputs, whole and as graphs. */
import { expect, inject, test } from 'vitest';
import { LOCAL } from '#auth/principal.ts';
import { selectTools } from '#tools/catalog.ts';
import { toRecords, type FileRecord } from '#test/files.ts';
import { fetchWorker } from '#test/mcp.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { callWithText } from '#test/raw-calls.ts';
import { readState } from '#test/thread-state.ts';
import { hostileInputs } from '../../scripts/support/hostile-inputs.ts';

const THREADS = 3 * inject('propertyScale');
/** Enough that calls meet what earlier ones have stored. */
const CALLS = 80;

/** Every tool that writes to a thread, except the one that ends it. */
const tools = selectTools('all', { isReadonly: false, isBound: true }).tools.filter(
  ({ name, effect, host }) =>
    host === 'thread' &&
    effect !== 'read' &&
    effect !== 'control' &&
    !['export_database', 'delete_thread'].includes(name),
);
const adding = tools.filter(({ effect }) => effect === 'add');

test.each(Array.from({ length: THREADS }, (_, index) => index))(
  'what hostile inputs have stored comes back from its file, and its graph from each stream (%i)',
  async (index) => {
    await using source = await openLocal();
    await fillWithHostileInputs(source, inject('propertySeed') * 10_000 + index);

    await expectCopy(source);
    for (const format of ['json', 'jsonl']) await expectSameGraph(source, format);
  },
);

/** Rows, ids and history, and what is exported again. */
async function expectCopy(source: TestMemory): Promise<void> {
  await using copy = await openLocal();
  const file = await download(source);

  const { result } = await send(copy, file);

  expect(result).toMatchObject({
    leftOut: { total: 0 },
    historyFault: null,
    hasHistory: recordsOf(file).length > 1,
  });
  expect(await readState(copy)).toEqual(await readState(source));
  expect(recordsOf(await download(copy))).toEqual(recordsOf(file));
}

/** The stream has entities, current observations and relations, and an import keeps all of them. */
async function expectSameGraph(source: TestMemory, format: string): Promise<void> {
  await using copy = await openLocal();
  const graph = await exportGraph(source, format);
  // A file without a record is refused: it may be one that was not written.
  if (!graph.includes('"entityType"')) return;

  const { result } = await send(copy, graph);

  expect(result).toMatchObject({ leftOut: { total: 0 } });
  expect(await exportGraph(copy, format)).toBe(graph);
}

function openLocal(): Promise<TestMemory> {
  return openTestMemory({
    subject: LOCAL.subject,
    threadId: `returns-${crypto.randomUUID()}`,
  });
}

async function fillWithHostileInputs({ threadId }: TestMemory, seed: number): Promise<void> {
  const { argumentsFor, pick } = hostileInputs(seed);
  for (let call = 0; call < CALLS; call += 1) {
    // Else most threads would end with next to nothing in them.
    const tool = pick(pick([tools, adding]));
    const { status } = await callWithText(threadId, tool.name, argumentsFor(tool));
    expect(status).toBeLessThan(500);
  }
}

/** The file of `export_database`, as a client fetches it. */
async function download({ threadId, call }: TestMemory): Promise<string> {
  const { file } = await call('export_database');
  return textOf(await fetchWorker(`/api/threads/${threadId}/files/${file}`));
}

async function exportGraph({ threadId }: TestMemory, format: string): Promise<string> {
  return textOf(await fetchWorker(`/api/threads/${threadId}/export?format=${format}`));
}

async function textOf(response: Response): Promise<string> {
  const text = new TextDecoder().decode(await response.arrayBuffer());
  if (!response.ok) throw new Error(`${response.status}: ${text.slice(0, 500)}`);
  return text;
}

async function send({ threadId }: TestMemory, body: string): Promise<Record<string, any>> {
  const path = `/api/threads/${threadId}/import`;
  const text = await textOf(await fetchWorker(path, { method: 'POST', body }));
  return JSON.parse(text);
}

/** Without what tells of the thread and the moment of the export. */
function recordsOf(file: string): FileRecord[] {
  const [header, ...rest] = toRecords(file);
  return [{ ...header, threadId: '', exportedAt: '' }, ...rest];
}
