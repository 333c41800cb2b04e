/** Files that threads export, read as a client fetches them, and records of files that were never written. */
import { env } from 'cloudflare:workers';
import { threadObjectName } from '#thread/thread-address.ts';
import { cluster } from './builders.ts';
import { openTestMemory, type TestMemory } from './memory.ts';

/** The text of a file that `export_database` has named. */
export async function readFileText({ threadId }: TestMemory, file: string): Promise<string> {
  const id = env.THREAD.idFromName(threadObjectName({ subject: 'test', threadId }));
  const stored = await env.FILES?.get(`${id.toString()}/${file}`);
  if (!stored) throw new Error(`There is no file ${file}.`);
  return stored.text();
}

/** All that the thread holds, as text. */
export async function exportText(
  memory: TestMemory,
  input: Record<string, unknown> = {},
): Promise<string> {
  const { file } = await memory.call('export_database', input);
  return readFileText(memory, file);
}

export type FileRecord = Record<string, any>;

export function toRecords(text: string): FileRecord[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

export function toLines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

export const HEADER = { type: 'header', format: 'skein', version: 1 };

const NODE = {
  status: 'active',
  confidence: 1,
  importance: 0.5,
  source: null,
  metadata: null,
  createdAt: 1_767_225_600_000,
  updatedAt: 1_767_225_600_000,
  expiresAt: null,
  ttlDays: null,
  accessedAt: null,
};

export function entityRecord(id: number, name: string, fields: object = {}): FileRecord {
  return { type: 'entity', id, name, entityType: 'Thing', ...NODE, ...fields };
}

export function factRecord(id: number, content: string, fields: object = {}): FileRecord {
  return {
    type: 'fact',
    id,
    entity: null,
    content,
    isAtomic: true,
    version: 1,
    supersedes: null,
    supersededBy: null,
    ...NODE,
    ...fields,
  };
}

export function turnRecord(id: number, sessionId: string, fields: object = {}): FileRecord {
  return {
    type: 'turn',
    id,
    sessionId,
    prompt: 'What is it?',
    thought: '',
    response: 'A thing.',
    agent: null,
    model: null,
    ...NODE,
    ...fields,
  };
}

export function edgeRecord(from: number, to: number, fields: object = {}): FileRecord {
  return {
    type: 'edge',
    from,
    to,
    relationType: 'knows',
    importance: 0.7,
    metadata: null,
    createdAt: NODE.createdAt,
    ...fields,
  };
}

/** Of a thread that two calls have written to. */
export async function recordsWithHistory(): Promise<FileRecord[]> {
  await using source = await openTestMemory();
  await source.call('save_memory', { entities: cluster('Ada') });
  await source.call('add_observations', {
    observations: [{ entityName: 'Ada', contents: ['Likes tea'] }],
  });
  return toRecords(await exportText(source));
}

/** With other fields in the last record of a type. */
export function forge(records: readonly FileRecord[], type: string, fields: object): string {
  const at = records.findLastIndex((one) => one['type'] === type);
  return toLines(records.with(at, { ...records[at], ...fields }));
}
