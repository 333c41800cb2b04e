/**
 * What a thread holds at most. It is checked once, at the end of a write, where everything that the
 * write made is known: no use case can forget it. Whatever only takes away is let through.
 */
import { MemoryError, quote } from '#errors.ts';
import type { NodeKind } from '#graph/ids.ts';
import { ROW_BYTES_MAX, STORAGE_RESERVE_SHARE, type Limits } from '#limits.ts';
import type { NodeTotal } from '#store/derived/growth.ts';
import type { World } from './world.ts';

const MAKE_ROOM =
  'Nothing was changed. Delete what is not needed any more, or go on in another thread.';

const MAKE_SPACE =
  'Nothing was changed. Delete what is not needed any more, have compact forget history (olderThanDays: 0 forgets all of it), or go on in another thread.';

/** Throws `limit_exceeded`, upon which the transaction that it is called in undoes the write. */
export function enforceCaps(world: World, revision: number): void {
  const { store, limits } = world;
  const { nodes, rowBytesMax } = store.growth.of(revision);
  if (rowBytesMax > ROW_BYTES_MAX) refuseRow(rowBytesMax);
  refuseTooMany(nodes, limits);
  refuseBeyondStorage(world);
  const crowded = store.growth.findCrowded(revision, limits.relationsPerEntityMax);
  if (crowded !== undefined) {
    refuse(
      `The entity ${quote(crowded)} has ${limits.relationsPerEntityMax} relations, which is the most.`,
      'Nothing was changed. Relate to something more specific, or delete relations of this entity.',
    );
  }
  countNew(
    world,
    nodes.reduce((sum, { made }) => sum + made, 0),
  );
}

/** Last, so that what is refused for another reason does not count. */
function countNew({ quota, caller, limits, now }: World, nodes: number): void {
  if (caller.countedAs === undefined || nodes === 0) return;
  quota?.take(caller.countedAs, nodes, limits.nodesPerMinuteMax, now);
}

/** The same for a thread that was restored whole, with a history that is not of one revision. */
export function enforceTotals(world: World): void {
  const totals = world.store.growth.totals();
  refuseTooMany(totals, world.limits);
  refuseBeyondStorage(world);
  countNew(
    world,
    totals.reduce((sum, { total }) => sum + total, 0),
  );
}

function refuseTooMany(nodes: readonly NodeTotal[], limits: Limits): void {
  for (const { kind, total } of nodes) {
    const max = maxOf(kind, limits);
    if (total > max) refuse(`This thread is full: it holds ${max} ${PLURAL[kind]} at most.`);
  }
}

const PLURAL: Readonly<Record<NodeKind, string>> = {
  entity: 'entities',
  fact: 'facts, former versions included',
  turn: 'turns',
  summary: 'summaries',
};

function maxOf(kind: NodeKind, limits: Limits): number {
  switch (kind) {
    case 'entity':
      return limits.entitiesMax;
    case 'fact':
      return limits.factsMax;
    case 'turn':
      return limits.turnsMax;
    case 'summary':
      // One a session, and a session has a turn.
      return limits.turnsMax;
  }
}

/**
 * Whatever is written grows the database, by its history at least. What is removed needs room for that
 * too, and has a reserve.
 */
function refuseBeyondStorage({ store, limits, isRemoval = false }: World): void {
  const { storageBytesMax } = limits;
  const reserve = isRemoval ? storageBytesMax * STORAGE_RESERVE_SHARE : 0;
  if (store.sizeBytes() <= storageBytesMax + reserve) return;
  // Files that are on their way have a limit of their own.
  const bytes = store.sizeBytes() - store.transfers.bytes();
  if (bytes <= storageBytesMax + reserve) return;
  refuse(`This thread is full: it takes up ${bytes} bytes of ${storageBytesMax}.`, MAKE_SPACE);
}

function refuseRow(bytes: number): never {
  return refuse(
    `This is too much for one row: its history would take ${bytes} bytes of ${ROW_BYTES_MAX}.`,
    'Nothing was changed. Store less text or metadata in one item.',
  );
}

function refuse(message: string, hint = MAKE_ROOM): never {
  throw new MemoryError('limit_exceeded', message, { hint });
}
