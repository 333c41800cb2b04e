/** The files of one thread in R2, under a prefix that no other thread has. */
import type { Env } from '#env.ts';
import { FILE_PART_BYTES, FILES_PER_CALL_MAX, FILES_PER_REQUEST_MAX } from '#limits.ts';
import { isBackup } from '#memory/files/file-store.ts';
import type { FileStore } from '#memory/ports.ts';

const METADATA = { httpMetadata: { contentType: 'application/x-ndjson' } };

/** `prefix` is an object's id, which is a hash of its name; undefined where no bucket is bound. */
export function openFiles({ FILES: bucket }: Env, prefix: string): FileStore | undefined {
  if (bucket === undefined) return undefined;
  const keyOf = (name: string) => `${prefix}/${name}`;
  return {
    async write(name, pieces) {
      const parts = toParts(pieces);
      const first = parts.next();
      const second = first.done ? first : parts.next();
      if (first.done || second.done) {
        const whole = first.done ? new Uint8Array() : first.value;
        await bucket.put(keyOf(name), whole, METADATA);
        return { bytes: whole.length };
      }
      return upload(bucket, keyOf(name), chain([first.value, second.value], parts));
    },
    async read(name, asAdmin) {
      const mark = asAdmin ? null : await bucket.head(keyOf(LEFT));
      // Few threads have one.
      const file = mark && (await bucket.head(keyOf(name)));
      if (file !== null && isLeft(file, mark?.uploaded)) return undefined;
      return (await bucket.get(keyOf(name)))?.body;
    },
    async newest(limit, asAdmin) {
      const found: R2Object[] = [];
      let leftAt: Date | undefined;
      for await (const objects of pages(bucket, keyOf(''))) {
        // Its name comes before all others.
        leftAt ??= objects.find(({ key }) => key === keyOf(LEFT))?.uploaded;
        found.push(...objects.filter(({ key }) => key !== keyOf(LEFT)));
      }
      const nameOf = ({ key }: R2Object) => key.slice(keyOf('').length);
      const shown = asAdmin
        ? found
        : found.filter((one) => !isBackup(nameOf(one)) && !isLeft(one, leftAt));
      const files = shown
        .toSorted((a, b) => b.uploaded.getTime() - a.uploaded.getTime())
        .slice(0, limit)
        .map((one) => ({ name: nameOf(one), bytes: one.size, at: one.uploaded.getTime() }));
      return { files, total: shown.length };
    },
  };
}

/**
 * An object beside the files of a thread, written when the thread is deleted: files that are not newer are
 * those of a thread that is gone, also when another one takes its id. No file has such a name.
 */
const LEFT = '.deleted';

function isLeft({ uploaded }: R2Object, leftAt: Date | undefined): boolean {
  return leftAt !== undefined && uploaded.getTime() <= leftAt.getTime();
}

/** Leaves the files that a thread has now to admins alone, if it has any. */
export async function leaveFiles({ FILES: bucket }: Env, prefix: string): Promise<void> {
  const listed = await bucket?.list({ prefix: `${prefix}/`, limit: 1 });
  if (listed !== undefined && listed.objects.length > 0) {
    await bucket?.put(`${prefix}/${LEFT}`, new Uint8Array());
  }
}

/** Files of any threads, by prefix and name: as many as one request takes. */
export async function deleteFiles(
  { FILES: bucket }: Env,
  files: readonly { readonly prefix: string; readonly name: string }[],
): Promise<void> {
  await bucket?.delete(files.map(({ prefix, name }) => `${prefix}/${name}`));
}

/** One call deletes a limited number; returns whether all are gone. */
export async function deleteAllFiles({ FILES: bucket }: Env, prefix: string): Promise<boolean> {
  if (bucket === undefined) return true;
  let listed = 0;
  for await (const objects of pages(bucket, `${prefix}/`)) {
    await bucket.delete(objects.map(({ key }) => key));
    listed += objects.length;
  }
  return listed < FILES_PER_CALL_MAX;
}

/** In the order of their keys, up to `FILES_PER_CALL_MAX`. */
async function* pages(bucket: R2Bucket, prefix: string): AsyncGenerator<R2Object[], void> {
  let last: string | undefined;
  for (let listed = 0; listed < FILES_PER_CALL_MAX;) {
    // After a key rather than by cursor: what is deleted in between moves none.
    // oxlint-disable-next-line no-await-in-loop
    const { objects } = await bucket.list({
      prefix,
      limit: FILES_PER_REQUEST_MAX,
      ...(last !== undefined && { startAfter: last }),
    });
    if (objects.length > 0) yield objects;
    listed += objects.length;
    last = objects.at(-1)?.key;
    if (objects.length < FILES_PER_REQUEST_MAX) return;
  }
}

/** R2 must know a length before it takes a stream, so a longer file goes in parts. */
async function upload(
  bucket: R2Bucket,
  key: string,
  parts: Iterable<Uint8Array>,
): Promise<{ bytes: number }> {
  const target = await bucket.createMultipartUpload(key, METADATA);
  try {
    const done: R2UploadedPart[] = [];
    let bytes = 0;
    for (const part of parts) {
      // One after the other, so that one part alone is in memory.
      // oxlint-disable-next-line no-await-in-loop
      done.push(await target.uploadPart(done.length + 1, part));
      bytes += part.length;
    }
    await target.complete(done);
    return { bytes };
  } catch (error) {
    await target.abort();
    throw error;
  }
}

/** All of one size, as R2 wants them, but for the last. */
function* toParts(pieces: Iterable<Uint8Array>): Generator<Uint8Array, void, undefined> {
  let part = new Uint8Array(FILE_PART_BYTES);
  let filled = 0;
  for (const piece of pieces) {
    for (let start = 0; start < piece.length;) {
      const taken = piece.subarray(start, start + FILE_PART_BYTES - filled);
      part.set(taken, filled);
      filled += taken.length;
      start += taken.length;
      if (filled < FILE_PART_BYTES) continue;
      yield part;
      part = new Uint8Array(FILE_PART_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield part.slice(0, filled);
}

function* chain(first: readonly Uint8Array[], rest: Iterable<Uint8Array>): Generator<Uint8Array> {
  yield* first;
  yield* rest;
}
