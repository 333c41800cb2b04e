/** Puts away what has expired. It has left every answer at its time: this only tidies up. */
import { EXPIRE_NODES_MAX } from '#limits.ts';
import type { Job } from './job.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export function expiryJob({ store, now }: World, { write }: Writer): Job {
  return {
    name: 'expiry',
    isEnabled: true,
    dueAt: () => store.expiry.first(),
    run() {
      write(() => store.expiry.archive(now, EXPIRE_NODES_MAX));
    },
  };
}
