/** Tells the subject's directory how a thread stands: soon after its first write, then once a minute. */
import { HEARTBEAT_MS } from '#limits.ts';
import type { Job } from './job.ts';
import type { World } from '#memory/world.ts';

const NAME = 'directory';

/** The cursor of the job is the last revision that the directory knows of. */
export function directoryJob({ store, surroundings, now }: World): Job {
  return {
    name: NAME,
    isEnabled: surroundings !== undefined,
    dueAt() {
      if (surroundings === undefined) return undefined;
      const last = store.revisions.lastId();
      if (last === undefined) return undefined;
      const state = store.jobs.find(NAME);
      if (state?.cursor === last) return undefined;
      return state?.lastRunAt ? Math.max(now, state.lastRunAt + HEARTBEAT_MS) : now;
    },
    async run() {
      const first = store.revisions.first();
      const last = store.revisions.last();
      if (first === undefined || last === undefined) return;
      const { entities, observations, relations } = store.counters.totals();
      await surroundings?.report({
        entities,
        observations,
        relations,
        firstChangeAt: first.at,
        lastChangeAt: last.at,
      });
      // The thread may have been deleted meanwhile, and then this is of no thread.
      if (store.revisions.lastId() !== undefined) store.jobs.moveCursor(NAME, last.id);
    },
  };
}
