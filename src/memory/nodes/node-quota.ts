/**
 * How many nodes a credential may add to a thread in a minute. It is counted in the memory of the object:
 * one that is evicted was idle, and begins again.
 */
import { MemoryError } from '#errors.ts';

const MINUTE_MS = 60_000;

export interface NodeQuota {
  /**
   * Counts nodes that a credential is about to add. Throws `limit_exceeded` where they are more than it
   * has left in this minute: then none is counted.
   */
  take(credential: string, nodes: number, max: number, now: number): void;
}

export function openNodeQuota(): NodeQuota {
  /** By credential: when its minute began, and what it has added since. */
  const minutes = new Map<string, { readonly from: number; readonly nodes: number }>();
  return {
    take(credential, nodes, max, now) {
      for (const [name, { from }] of minutes) if (now - from >= MINUTE_MS) minutes.delete(name);
      const { from, nodes: before } = minutes.get(credential) ?? { from: now, nodes: 0 };
      if (before + nodes > max) throw refuse(nodes, max, before > 0 ? from + MINUTE_MS - now : 0);
      minutes.set(credential, { from, nodes: before + nodes });
    },
  };
}

function refuse(nodes: number, max: number, waitMs: number): MemoryError {
  const advice =
    nodes > max
      ? 'Send it in smaller parts, a minute apart'
      : `Try again in ${Math.ceil(waitMs / 1000)} seconds`;
  return new MemoryError(
    'limit_exceeded',
    `A credential may add ${max} nodes a minute to a thread, and this call would go beyond that with ${nodes} more.`,
    {
      hint: `Nothing was changed. ${advice}. An import by a credential with memory:admin is not counted.`,
    },
  );
}
