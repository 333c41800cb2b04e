/** The files of a thread, wherever a deployment keeps them. */
import type { FileListing, FileStore } from '#memory/ports.ts';
import { MemoryError } from '#errors.ts';
import { FILES_NAMED_MAX } from '#limits.ts';
import type { World } from '#memory/world.ts';

/** What the names of backups begin with. */
export const BACKUP_PREFIX = 'backup-';

/** Whether a file is for admins alone: a backup outlives its thread, and holds what was deleted since. */
export function isBackup(file: string): boolean {
  return file.startsWith(BACKUP_PREFIX);
}

/** Path on the server from which a file can be fetched. `owner` is undefined for the thread's own memory. */
export function downloadPath(threadId: string, file: string, owner: string | undefined): string {
  const query = owner === undefined ? '' : `?owner_id=${encodeURIComponent(owner)}`;
  return `/api/threads/${encodeURIComponent(threadId)}/files/${file}${query}`;
}

export function fileUseCases(world: Pick<World, 'files' | 'caller'>) {
  return {
    /** Newest first, of those that the caller may see. Throws `unavailable` where a deployment has no place for files. */
    async list(limit: number): Promise<FileListing> {
      return requireFiles(world).newest(limit, world.caller.seesBackups === true);
    },
  };
}

/** What to do about a file that is not there: a sentence that names some that are. */
export async function nameNewestFiles(files: FileStore, asAdmin: boolean): Promise<string> {
  const { files: newest } = await files.newest(FILES_NAMED_MAX, asAdmin);
  if (newest.length === 0) return 'It has none: export_database writes one.';
  return `Its newest files: ${newest.map(({ name }) => name).join(', ')}.`;
}

/** Throws `unavailable` where a deployment has none. */
export function requireFiles({ files }: Pick<World, 'files'>): FileStore {
  if (files !== undefined) return files;
  throw new MemoryError('unavailable', 'This server keeps no files.', {
    hint: 'Bind an R2 bucket as FILES in wrangler.toml, or use export_graph and the import route.',
  });
}
