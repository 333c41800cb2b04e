/** Sending a file to a thread, with how far it has come. */
import type { ErrorAnswer } from '#http/wire.ts';
import { factKey, relationKey, type KnownGraph } from '../text/import-preview.ts';
import { ApiError, callTool, request, threadPath } from './api.ts';

export interface Imported {
  readonly added: Readonly<Record<string, number>>;
  readonly updated: number;
  /** By which it is undone; undefined where nothing changed. */
  readonly revision: number | undefined;
}

export interface ImportOptions {
  /** Takes what fits of a file with faults. */
  readonly skip: boolean;
  readonly actor: string;
  readonly signal: AbortSignal;
  readonly onProgress: (lines: number) => void;
}

type ImportLine =
  | { readonly progress: { readonly lines: number } }
  | { readonly result: Omit<Imported, 'revision'> }
  | ErrorAnswer;

const TOOL = 'import_database';
const REFUSED = 400;

/** Throws an `ApiError` when the file is refused; nothing has changed then. */
export async function runImport(
  threadId: string,
  file: File,
  { skip, actor, signal, onProgress }: ImportOptions,
): Promise<Imported> {
  const path = `${threadPath(threadId)}/import?progress=1${skip ? '&skip=1' : ''}`;
  const answer = await request(path, { method: 'POST', body: file, signal });
  let last: ImportLine | undefined;
  for await (const line of linesOf(answer)) {
    last = JSON.parse(line) as ImportLine;
    if ('progress' in last) onProgress(last.progress.lines);
  }
  if (last === undefined || 'progress' in last) {
    throw new ApiError(0, {
      code: 'unavailable',
      message: 'The import broke off.',
      hint: 'Nothing was changed. Send the file again.',
    });
  }
  if ('error' in last) throw new ApiError(REFUSED, last.error);
  const { changes } = await callTool(threadId, 'get_recent_changes', { limit: 5 });
  const { added, updated } = last.result;
  const hasChanged = updated > 0 || Object.values(added).some((count) => count > 0);
  const revision = changes.find(
    (change) => change.tool === TOOL && change.actor === actor,
  )?.revision;
  return { added, updated, revision: hasChanged ? revision : undefined };
}

async function* linesOf(answer: Response): AsyncGenerator<string, void, undefined> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- A stream is read piece by piece.
    const piece = await reader?.read();
    if (piece === undefined || piece.done) break;
    const lines = (rest + piece.value).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
  if (rest.trim() !== '') yield rest;
}

/** What the thread holds, to tell what of a file is new. */
export async function readImported(threadId: string): Promise<KnownGraph> {
  const entities = new Set<string>();
  const facts = new Set<string>();
  const relations = new Set<string>();
  let cursor: string | undefined;
  do {
    // oxlint-disable-next-line no-await-in-loop -- Each page says where the next one begins.
    const page = await callTool(threadId, 'read_graph', {
      limit: 1_000,
      ...(cursor !== undefined && { cursor }),
    });
    for (const { name, observations } of page.entities) {
      entities.add(name);
      for (const one of observations)
        facts.add(factKey(name, typeof one === 'string' ? one : one.content));
    }
    for (const { from, to, relationType } of page.relations)
      relations.add(relationKey(from, to, relationType));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return { entities, facts, relations };
}
