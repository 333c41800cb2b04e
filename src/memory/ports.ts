/** What a thread needs of the world around it, as types that import nothing. */

export interface FileStore {
  /** The bytes of all pieces, in their order. A file that cannot be finished is not there. */
  write(name: string, pieces: Iterable<Uint8Array>): Promise<{ bytes: number }>;
  /** Undefined when there is no such file, and for others than admins when it is of a thread that was deleted. */
  read(name: string, asAdmin: boolean): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Those that were written last, newest first. Backups and files of a thread that was deleted are for admins. */
  newest(limit: number, asAdmin: boolean): Promise<FileListing>;
}

export interface StoredFile {
  readonly name: string;
  readonly bytes: number;
  /** When it was written, in epoch milliseconds. */
  readonly at: number;
}

export interface FileListing {
  readonly files: readonly StoredFile[];
  /** All that the thread has, of which no more than `FILES_PER_CALL_MAX` are counted. */
  readonly total: number;
}

/** A backup that outlives its memory. */
export interface KeptBackup {
  readonly file: string;
  /** Epoch milliseconds; the first run after it removes the file. */
  readonly until: number;
}
