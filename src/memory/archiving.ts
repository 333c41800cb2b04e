/**
 * Writes a thread as a file: a header, then a record a line. All of it is read at one moment and
 * staged as it is read, so that no write can come between two records; then it is sent on a piece at
 * a time, while others write. `docs/files.md` describes the records.
 */
import { assert, MemoryError } from '#errors.ts';
import type { NodeKind } from '#graph/ids.ts';
import { FILE_PIECE_BYTES, IMPORT_BYTES_MAX, IMPORT_LINES_MAX, ROW_BYTES_MAX } from '#limits.ts';
import { requireFiles } from './files.ts';
import type { World } from './world.ts';

export const ARCHIVE_FORMAT = 'skein';
export const ARCHIVE_VERSION = 1;

export const ARCHIVE_PARTS = ['memories', 'summaries', 'graph'] as const;

/** Turns, summaries, or entities and facts. */
export type ArchivePart = (typeof ARCHIVE_PARTS)[number];

/** Records of each kind in a file. */
export interface ArchiveCounts {
  readonly entities: number;
  readonly facts: number;
  readonly turns: number;
  readonly summaries: number;
  readonly edges: number;
  readonly versions: number;
  readonly revisions: number;
  readonly changes: number;
}

export interface ArchivedFile {
  readonly file: string;
  readonly bytes: number;
  readonly counts: ArchiveCounts;
}

export interface ArchiveRequest {
  readonly parts: readonly ArchivePart[];
  /** Only a file of all parts can have the history: its changes speak of nodes of every kind. */
  readonly hasHistory: boolean;
}

const KINDS: Readonly<Record<ArchivePart, readonly NodeKind[]>> = {
  memories: ['turn'],
  summaries: ['summary'],
  graph: ['entity', 'fact'],
};

/** Entities before the facts about them; a reader relies on it. */
const ORDER: readonly NodeKind[] = ['entity', 'fact', 'turn', 'summary'];

export function archivingUseCases(world: World) {
  const { store, caller, now } = world;

  /** One moment: nothing is awaited between the first record and the last. */
  function stage(id: string, { parts, hasHistory }: ArchiveRequest): ArchiveCounts {
    const kinds = ORDER.filter((kind) => parts.some((part) => KINDS[part].includes(kind)));
    const isWhole = hasHistory && kinds.length === ORDER.length;
    const all = store.archive.counts(kinds);
    const counts = isWhole ? all : { ...all, revisions: 0, changes: 0 };
    refuseTooManyLines(counts);
    const { horizon, horizonAt } = store.compactions.read();
    const { savesAccepted, savesRejected } = store.counters.totals();
    const pieces = openPieces((piece, bytes) => {
      if (bytes > IMPORT_BYTES_MAX) refuseTooLarge(`more than ${IMPORT_BYTES_MAX} bytes`);
      store.transfers.append(id, piece, { lines: 0, bytes, format: null }, now);
    });
    pieces.add({
      type: 'header',
      format: ARCHIVE_FORMAT,
      version: ARCHIVE_VERSION,
      threadId: caller.threadId,
      exportedAt: new Date(now).toISOString(),
      include: parts,
      counts,
      ...(isWhole && {
        history: { forgottenTo: horizon, forgottenAt: horizonAt },
        lastId: store.archive.lastNodeId(),
        saves: { accepted: savesAccepted, rejected: savesRejected },
      }),
    });
    for (const kind of kinds) {
      for (const row of store.archive.nodes(kind)) pieces.add({ type: kind, ...row });
    }
    for (const row of store.archive.edges(kinds)) pieces.add({ type: 'edge', ...row });
    for (const row of store.archive.versions(kinds)) pieces.add({ type: 'version', ...row });
    if (isWhole) {
      const changes = store.archive.changes();
      let change = changes.next();
      for (const row of store.archive.revisions()) {
        pieces.add({ type: 'revision', ...row });
        for (; !change.done && change.value.revision === row.id; change = changes.next()) {
          pieces.add({ type: 'change', ...change.value });
        }
      }
    }
    pieces.flush();
    return counts;
  }

  return {
    /**
     * Throws `unavailable` where there is no place for files, and `limit_exceeded` for a file that no
     * import would take.
     */
    async export(request: ArchiveRequest): Promise<ArchivedFile> {
      const files = requireFiles(world);
      const id = crypto.randomUUID();
      const file = nameFile(now, id);
      try {
        const counts = store.transaction(() => stage(id, request));
        const { bytes } = await files.write(file, store.transfers.pieces(id));
        return { file, bytes, counts };
      } finally {
        store.transaction(() => store.transfers.drop(id));
      }
    },
  };
}

function refuseTooManyLines(counts: ArchiveCounts): void {
  const lines = 1 + Object.values(counts).reduce((sum: number, count: number) => sum + count, 0);
  if (lines > IMPORT_LINES_MAX) refuseTooLarge(`${lines} lines`);
}

/** Upon which the transaction that it is called in takes back what was staged. */
function refuseTooLarge(size: string): never {
  throw new MemoryError(
    'limit_exceeded',
    `This file would have ${size}, and an import takes ${IMPORT_LINES_MAX} lines and ${IMPORT_BYTES_MAX} bytes at most.`,
    {
      hint: 'Nothing was written. Leave out the history (history: false) or choose parts with include; compact makes the history shorter.',
    },
  );
}

/** Such as `skein-20260120T100000Z-1f3a.jsonl`: two exports of one second do not overwrite each other. */
function nameFile(at: number, id: string): string {
  const time = new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `skein-${time}-${id.slice(0, 4)}.jsonl`;
}

/** Gathers lines into pieces of about `FILE_PIECE_BYTES`. */
function openPieces(send: (piece: Uint8Array, bytesSoFar: number) => void) {
  const encoder = new TextEncoder();
  let lines: Uint8Array[] = [];
  let bytes = 0;
  let total = 0;

  function flush(): void {
    if (lines.length === 0) return;
    const piece = new Uint8Array(bytes);
    let offset = 0;
    for (const line of lines) {
      piece.set(line, offset);
      offset += line.length;
    }
    assert(offset === bytes, 'a piece is as long as its lines');
    total += bytes;
    send(piece, total);
    lines = [];
    bytes = 0;
  }

  return {
    flush,
    add(record: Readonly<Record<string, unknown>>): void {
      const line = encoder.encode(`${JSON.stringify(record)}\n`);
      if (line.length > ROW_BYTES_MAX) {
        throw new MemoryError(
          'limit_exceeded',
          `A ${String(record['type'])} is too long for a line of a file.`,
          {
            hint: `A record must stay below ${ROW_BYTES_MAX} bytes. Shorten its metadata.`,
          },
        );
      }
      if (bytes + line.length > FILE_PIECE_BYTES) flush();
      lines.push(line);
      bytes += line.length;
    },
  };
}
