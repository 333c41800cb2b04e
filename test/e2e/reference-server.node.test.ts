/** Files go to the reference memory server and come back from it: the real one, as npm has it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

interface Graph {
  readonly entities: readonly {
    readonly name: string;
    readonly entityType: string;
    readonly observations: readonly string[];
  }[];
  readonly relations: readonly object[];
}

const SERVER = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'),
);
const url = inject('serverUrl');

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'skein-reference-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

test('our export is a file that the reference server reads and writes on', async () => {
  await call('reference-goes', 'create_entities', {
    entities: [
      { name: 'Ada "A" Lovelace', entityType: 'Person', observations: ['Likes tea', 'é 漢 😀'] },
      { name: 'Engine', entityType: 'Machine', observations: ['Path C:\\tmp, {braces} [lists]'] },
      { name: 'Lonely', entityType: 'Thing', observations: [] },
    ],
  });
  await call('reference-goes', 'create_relations', {
    relations: [{ from: 'Ada "A" Lovelace', to: 'Engine', relationType: 'describes' }],
  });
  const file = join(directory, 'memory.jsonl');
  writeFileSync(
    file,
    await (await fetch(`${url}/api/threads/reference-goes/export?format=jsonl`)).text(),
  );

  await using reference = await openReference(file);
  const read = await reference.call('read_graph', {});
  await reference.call('create_entities', {
    entities: [{ name: 'Bob', entityType: 'Person', observations: ['Came later'] }],
  });

  const ours = await exportGraph('reference-goes');
  expect(ours.entities).toHaveLength(3);
  expect(read).toEqual(ours);
  await importFile('reference-comes', readFileSync(file, 'utf8'));
  expect(await exportGraph('reference-comes')).toEqual({
    ...ours,
    entities: [
      ...ours.entities,
      { name: 'Bob', entityType: 'Person', observations: ['Came later'] },
    ],
  });
});

test('what the reference server stores and we do not is refused by line, or left out', async () => {
  const file = join(directory, 'dangling.jsonl');
  {
    await using reference = await openReference(file);
    await reference.call('create_entities', {
      entities: [{ name: 'Ada', entityType: 'Person', observations: ['Likes tea', ''] }],
    });
    await reference.call('create_relations', {
      relations: [{ from: 'Ada', to: 'Nobody', relationType: 'knows' }],
    });
  }
  const text = readFileSync(file, 'utf8');

  const { error } = await importFile('reference-dangling', text);
  const { result } = await importFile('reference-dangling', text, '?skip=1');

  expect(error.faults).toEqual([
    { path: 'line 1', problem: 'observations[1] is empty' },
    { path: 'line 2', problem: "no line before has the entity 'Nobody'" },
  ]);
  expect(result).toMatchObject({
    added: { entities: 1, facts: 1, relations: 0 },
    leftOut: { total: 2 },
  });
});

async function openReference(file: string) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [SERVER],
    env: { MEMORY_FILE_PATH: file },
    stderr: 'ignore',
  });
  await client.connect(transport);
  return {
    async call(name: string, input: Record<string, unknown>): Promise<unknown> {
      const result = await client.callTool({ name, arguments: input });
      expect(result.isError).not.toBe(true);
      return result.structuredContent;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function call(threadId: string, tool: string, input: object): Promise<void> {
  const { status } = await fetch(`${url}/api/threads/${threadId}/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  expect(status).toBe(200);
}

async function exportGraph(threadId: string): Promise<Graph> {
  return (await (await fetch(`${url}/api/threads/${threadId}/export`)).json()) as Graph;
}

async function importFile(threadId: string, body: string, query = ''): Promise<any> {
  const target = `${url}/api/threads/${threadId}/import${query}`;
  const lines = (await (await fetch(target, { method: 'POST', body })).text()).trimEnd();
  return JSON.parse(lines.split('\n').at(-1) ?? '');
}
