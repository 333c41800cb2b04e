/**
 * Has the words of texts that were forgotten leave the pages of the text indexes. `forget` does so itself
 * in all but large threads; there the job goes on with what one call is too short for.
 */
import { FORGET_PAGES_MAX } from './limits.ts';
import type { Store } from '#store/store.ts';
import type { Job } from '#memory/upkeep/job.ts';
import type { World } from '#memory/world.ts';

const NAME = 'forgetting';
const PAGES_PER_PIECE = 250;

export function forgettingJob({ store, now }: World): Job {
  return {
    name: NAME,
    isEnabled: true,
    isContinuous: true,
    dueAt: () => (store.jobs.find(NAME)?.cursor === 1 ? now : undefined),
    async run(pause) {
      await pause();
      store.transaction(() => {
        if (store.forgetting.purgeText(PAGES_PER_PIECE, false)) store.jobs.moveCursor(NAME, 0);
      });
    },
  };
}

/** Merges what one call may. Returns whether no words are left; else the job is due. The caller holds the transaction. */
export function purgeText({ forgetting, jobs }: Store): boolean {
  let isClean = forgetting.purgeText(PAGES_PER_PIECE, true);
  for (
    let pages = PAGES_PER_PIECE;
    !isClean && pages < FORGET_PAGES_MAX;
    pages += PAGES_PER_PIECE
  ) {
    isClean = forgetting.purgeText(PAGES_PER_PIECE, false);
  }
  if (!isClean || jobs.find(NAME) !== undefined) jobs.moveCursor(NAME, isClean ? 0 : 1);
  return isClean;
}
