/** The files of a thread, wherever a deployment keeps them. */
import { MemoryError } from '#errors.ts';
import { FILES_NAMED_MAX } from '#limits.ts';
import type { World } from './world.ts';

export interface FileStore {
  /** The bytes of all pieces, in their order. A file that cannot be finished is not there. */
  write(name: string, pieces: Iterable<Uint8Array>): Promise<{ bytes: number }>;
  /** Undefined when there is no such file. */
  read(name: string): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Names of those that were written last, newest first. */
  newest(limit: number): Promise<string[]>;
}

/** What to do about a file that is not there: a sentence that names some that are. */
export async function nameNewestFiles(files: FileStore): Promise<string> {
  const names = await files.newest(FILES_NAMED_MAX);
  if (names.length === 0) return 'It has none: export_database writes one.';
  return `Its newest files: ${names.join(', ')}.`;
}

/** Throws `unavailable` where a deployment has none. */
export function requireFiles({ files }: World): FileStore {
  if (files !== undefined) return files;
  throw new MemoryError('unavailable', 'This server keeps no files.', {
    hint: 'Bind an R2 bucket as FILES in wrangler.toml, or use export_graph and the import route.',
  });
}
