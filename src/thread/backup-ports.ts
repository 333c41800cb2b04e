/** What a directory does to threads and their files while it backs them up. */
import type { Env } from '#env.ts';
import { MemoryError } from '#errors.ts';
import type { BackupPorts } from '#memory/directory/backup-runs.ts';
import type { DirectoryKey } from '#directory-store/directory.ts';
import { deleteFiles } from './files.ts';
import { logBug } from './log.ts';
import { filePrefix, type ThreadAddress } from './thread-address.ts';
import { threadStub } from './thread-stub.ts';
import type { Caller } from './thread-client.ts';

export function openBackupPorts(env: Env): BackupPorts {
  return {
    now: () => Date.now(),

    async write(subject, key, at) {
      const caller: Caller = { threadId: key.threadId, actor: 'skein' };
      const outcome = await threadStub(env, toAddress(subject, key)).backUp(at, caller);
      if (!outcome.ok) throw new MemoryError('unavailable', 'The thread was not backed up.');
      const { bytes, isReadable } = outcome;
      return bytes === null ? null : { bytes, isReadable };
    },

    remove: (subject, files) =>
      deleteFiles(
        env,
        files.map((one) => ({ prefix: filePrefix(env, toAddress(subject, one)), name: one.file })),
      ),

    report(error) {
      // What a thread refused, it has logged itself.
      if (!(error instanceof MemoryError)) logBug(crypto.randomUUID().slice(0, 8), error);
    },
  };
}

function toAddress(subject: string, { threadId, owner }: DirectoryKey): ThreadAddress {
  return { subject, threadId, owner: owner === '' ? undefined : owner };
}
