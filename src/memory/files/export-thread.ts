/**
 * Writes a thread as a file: a header, then a record a line. All of it is read at one moment and
 * staged as it is read, so that no write can come between two records; then it is sent on a piece at
 * a time, while others write. `docs/use/files.md` describes the records.
 */
import { assert, MemoryError } from '#errors.ts';
import type { NodeKind } from '#graph/ids.ts';
import { toIsoTime } from '#graph/moment.ts';
import { FILE_PIECE_BYTES, IMPORT_BYTES_MAX, IMPORT_LINES_MAX, ROW_BYTES_MAX } from '#limits.ts';
import { ARCHIVE_FORMAT, ARCHIVE_VERSION, type ArchiveCounts } from './file-format.ts';
import { BACKUP_PREFIX, requireFiles } from './file-store.ts';
import type { Job } from '#memory/upkeep/job.ts';
import { isReadable } from './read-back.ts';
import type { World } from '#memory/world.ts';

export const ARCHIVE_PARTS = ['memories', 'summaries', 'graph'] as const;

/** Turns, summaries, or entities and facts. */
export type ArchivePart = (typeof ARCHIVE_PARTS)[number];

export interface ArchiveRequest {
  readonly parts: readonly ArchivePart[];
  /** Only a file of all parts can have the history: its changes speak of nodes of every kind. */
  readonly hasHistory: boolean;
}

export interface ArchivedFile {
  readonly file: string;
  readonly bytes: number;
  readonly counts: ArchiveCounts;
}

/** A backup, and whether an import would take it. */
export interface BackedUp extends ArchivedFile {
  readonly isReadable: boolean;
}

const KINDS: Readonly<Record<ArchivePart, readonly NodeKind[]>> = {
  memories: ['turn'],
  summaries: ['summary'],
  graph: ['entity', 'fact'],
};

/** Entities before the facts about them; a reader relies on it. */
const ORDER: readonly NodeKind[] = ['entity', 'fact', 'turn', 'summary'];

export function archivingUseCases(world: World) {
  const { store, now } = world;

  async function writeFile(
    file: string,
    id: string,
    stage: () => ArchiveCounts,
  ): Promise<ArchivedFile> {
    const files = requireFiles(world);
    try {
      const counts = store.transaction(stage);
      const { bytes } = await files.write(file, piecesOf(id));
      return { file, bytes, counts };
    } finally {
      store.transaction(() => store.transfers.drop(id));
    }
  }

  /** All that was staged. Throws `conflict` when the thread is deleted in between: no file then is there. */
  function* piecesOf(id: string): Generator<Uint8Array, void, undefined> {
    let left = store.transfers.read(id).bytes;
    for (const piece of store.transfers.pieces(id)) {
      left -= piece.length;
      yield piece;
    }
    if (left === 0) return;
    throw new MemoryError(
      'conflict',
      'The thread was deleted, or something in it forgotten, while its file was written.',
    );
  }

  async function readBack({ file }: ArchivedFile): Promise<boolean> {
    const stream = await requireFiles(world).read(file, true);
    return stream !== undefined && isReadable(stream, now);
  }

  /** Unless the thread was deleted meanwhile: it is to be as if nobody had ever written to it. */
  function note(write: () => void): void {
    store.transaction(() => {
      if (!store.archive.isUntouched()) write();
    });
  }

  return {
    /**
     * Throws `unavailable` where there is no place for files, and `limit_exceeded` for a record that
     * fits no line and for a file that no import would take.
     */
    async export(request: ArchiveRequest): Promise<ArchivedFile> {
      const id = crypto.randomUUID();
      return writeFile(nameExport(now, id), id, () => {
        refuseTooManyLines(countRecords(world, request));
        return stageArchive(world, id, request, refuseTooManyBytes);
      });
    },

    /**
     * Writes all of it to the backup of that moment, over one of that moment that was begun before.
     * Undefined for a thread that holds nothing. A backup may be larger than an import takes: it can
     * be cut, and what was never written cannot. It is read back then. Throws as `export`, and notes that it did.
     */
    async backUp(at: number): Promise<BackedUp | undefined> {
      if (store.archive.isUntouched()) return undefined;
      try {
        const id = crypto.randomUUID();
        const whole: ArchiveRequest = { parts: ARCHIVE_PARTS, hasHistory: true };
        const written = await writeFile(nameBackup(at), id, () => stageArchive(world, id, whole));
        const readable = await readBack(written);
        note(() => {
          if (!readable) return store.jobs.fail(BACKUP, UNREADABLE, now);
          store.jobs.succeed(BACKUP, at);
          store.jobs.moveCursor(BACKUP, at);
        });
        return { ...written, isReadable: readable };
      } catch (error) {
        const kind = error instanceof MemoryError ? error.code : 'internal';
        note(() => store.jobs.fail(BACKUP, kind, now));
        throw error;
      }
    },
  };
}

function kindsOf({ parts }: ArchiveRequest): readonly NodeKind[] {
  return ORDER.filter((kind) => parts.some((part) => KINDS[part].includes(kind)));
}

function isWithHistory(request: ArchiveRequest): boolean {
  return request.hasHistory && kindsOf(request).length === ORDER.length;
}

function countRecords({ store }: World, request: ArchiveRequest): ArchiveCounts {
  const all = store.archive.counts(kindsOf(request));
  return isWithHistory(request) ? all : { ...all, revisions: 0, changes: 0 };
}

/** With the header. */
function countLines(counts: ArchiveCounts): number {
  return 1 + Object.values(counts).reduce((sum: number, count: number) => sum + count, 0);
}

function refuseTooManyLines(counts: ArchiveCounts): void {
  const lines = countLines(counts);
  if (lines > IMPORT_LINES_MAX) refuseTooLarge(`${lines} lines`);
}

function refuseTooManyBytes(bytes: number): void {
  if (bytes > IMPORT_BYTES_MAX) refuseTooLarge(`more than ${IMPORT_BYTES_MAX} bytes`);
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

/** One moment: nothing is awaited between the first record and the last. `check` is told the bytes so far. */
function stageArchive(
  world: World,
  id: string,
  request: ArchiveRequest,
  check: (bytes: number) => void = () => undefined,
): ArchiveCounts {
  const { store, caller, owner, now } = world;
  const kinds = kindsOf(request);
  const isWhole = isWithHistory(request);
  const counts = countRecords(world, request);
  const { horizon, horizonAt } = store.compactions.read();
  const { savesAccepted, savesRejected } = store.counters.totals();
  const pieces = openPieces((piece, bytes) => {
    check(bytes);
    store.transfers.append(id, piece, { lines: 0, bytes, format: null }, now);
  });
  pieces.add({
    type: 'header',
    format: ARCHIVE_FORMAT,
    version: ARCHIVE_VERSION,
    threadId: caller.threadId,
    ...(owner !== undefined && { owner }),
    exportedAt: toIsoTime(now),
    include: request.parts,
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

/** The name of the job. Its cursor is the moment of the last backup that was read back. */
export const BACKUP = 'backup';
/** The failure of a backup that was written, and that no import would take. */
export const UNREADABLE = 'unreadable';

/** How the backups of a thread stand. The directory of the subject calls for them, and no alarm. */
export function backupJob({ files, limits }: World): Job {
  return {
    name: BACKUP,
    isEnabled: limits.backupsEnabled && files !== undefined,
    dueAt: () => undefined,
    run: () => undefined,
  };
}

/** Such as `backup-20260120T031700Z.jsonl`: names are in the order of their times. */
export function nameBackup(at: number): string {
  return `${BACKUP_PREFIX}${toStamp(at)}.jsonl`;
}

/** Such as `skein-20260120T100000Z-1f3a.jsonl`: two exports of one second do not overwrite each other. */
function nameExport(at: number, id: string): string {
  return `skein-${toStamp(at)}-${id.slice(0, 4)}.jsonl`;
}

function toStamp(at: number): string {
  return toIsoTime(at).replaceAll(/[-:]|\.\d+/g, '');
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
