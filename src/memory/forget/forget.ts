/**
 * Makes a thread forget: what was chosen goes out of the tables, the history, the indexes and the files on
 * their way. Nothing brings it back, so that a preview comes first and mentions go by their ids alone.
 */
import { MemoryError, quote } from '#errors.ts';
import { type NodeKind } from '#graph/ids.ts';
import { FILES_PER_CALL_MAX } from '#limits.ts';
import { FORGET_CHANGES_MAX, FORGET_NODES_MAX } from './limits.ts';
import type { Relink, RemovedRows } from '#store/history/forget.ts';
import { isBackup } from '#memory/files/file-store.ts';
import { findMentions, type Mention } from './forget-mentions.ts';
import { findTarget, type FoundTarget, formatAny, type ForgetTarget } from './forget-target.ts';
import { purgeText } from './forget-job.ts';
import { removeFact } from '#memory/entities/delete.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export interface ForgetRequest extends ForgetTarget {
  /** Texts that are looked for besides. */
  readonly phrases: readonly string[];
  /** Ids of mentions that go too. */
  readonly also: readonly string[];
  readonly isPreview: boolean;
  readonly deleteFiles: boolean;
}

export interface TargetNode {
  readonly id: string;
  /** False for one that was deleted before: the history has it. */
  readonly isThere: boolean;
}

/** What stays outside of the thread's tables. */
export interface Remainder {
  readonly where: 'mentions' | 'text index' | 'exports' | 'backups' | 'platform' | 'copies';
  readonly what: string;
  /** Epoch milliseconds; undefined for as long as nobody removes it. */
  readonly until?: number;
}

export interface Forgotten {
  readonly target: readonly TargetNode[];
  /** Those that were not chosen. */
  readonly mentions: readonly Mention[];
  readonly isCut: boolean;
  /** Rows that went, and changes that left the history; null for a preview. */
  readonly removed: { readonly rows: RemovedRows; readonly changes: number } | null;
  /** Ids that name nothing any more. */
  readonly notFound: readonly string[];
  /** False when more of it is left for another call. */
  readonly isDone: boolean;
  readonly remains: readonly Remainder[];
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** What no server can take back. */
export const COPIES =
  'what was downloaded, copied to other threads or owners, or read by clients; logs never have content';
/** How far back Cloudflare can restore the database of an object. */
const PLATFORM_DAYS = 30;

interface Plan {
  readonly nodes: Readonly<Record<NodeKind, readonly number[]>>;
  /** Nodes that the history alone has. */
  readonly deleted: readonly number[];
  readonly chosen: readonly Mention[];
  readonly needles: readonly string[];
}

export function forgettingUseCases(world: World, writer: Writer) {
  const { store } = world;

  function removeNow(plan: Plan): Pick<Forgotten, 'removed'> & { readonly isClean: boolean } {
    let rows: RemovedRows = {};
    let changes = 0;
    let isClean = true;
    writer.forget((revision) => {
      const relinks = planRelinks(world, plan.nodes.fact);
      const gone = [...plan.deleted, ...removeNodes(world, plan)];
      for (const { edge, where } of plan.chosen)
        if (edge && where === 'now') store.edges.remove(edge);
      const past = plan.chosen.flatMap((one) => (one.where === 'past' ? one.rows : []));
      const versions = past.filter(({ table }) => table === 'node_version').map(({ key }) => key);
      store.forgetting.dropVersions(versions);
      rows = store.forgetting.removedBy(revision);
      store.forgetting.settleNodes(revision);
      changes =
        store.forgetting.purgeNodes(gone) +
        store.forgetting.purgeRows([
          ...versions.map((key) => ({ table: 'node_version', key })),
          ...plan.chosen.flatMap(({ edge, where }) =>
            edge && where !== 'past' ? [{ table: 'edge', key: keyOf(edge) }] : [],
          ),
        ]);
      store.forgetting.relinkFacts(gone, relinks);
      changes += store.forgetting.redact(past, plan.needles);
      if (changes === 0) return undefined;
      store.forgetting.dropEmpty(revision);
      store.forgetting.dropTransfers();
      isClean = purgeText(store);
      return gone;
    });
    world.clearCaches?.();
    return { removed: { rows, changes }, isClean };
  }

  return {
    /**
     * Shows what would go and who speaks of it, or removes it with the mentions that were chosen. Throws
     * `invalid_input`, `not_found` where nothing is there to forget, and `limit_exceeded`.
     */
    async forget(request: ForgetRequest): Promise<Forgotten> {
      refuseLongHistory(world);
      const { entity, fact, turn, session } = request;
      const target = findTarget(store, { entity, fact, turn, session });
      const kinds = store.mentions.kindsOf(target.nodeIds);
      const { found, isCut, needles } = findMentions(store, target, request.phrases);
      const { chosen, notFound } = choose(world, found, request.also);
      if (kinds.size + found.length === 0 && request.also.length === 0) throw nothing(target);
      const facts = new Map(
        store.mentions
          .factLinks([...kinds.keys()])
          .map(({ nodeId, entityId }) => [nodeId, entityId]),
      );
      const answer = {
        target: [...kinds].map(([id, { kind, isThere }]) => ({
          id: formatAny(kind, id, facts.get(id) ?? null),
          isThere,
        })),
        mentions: request.isPreview ? found : found.filter((one) => !chosen.includes(one)),
        isCut,
        notFound,
      };
      if (request.isPreview) {
        return {
          ...answer,
          removed: null,
          isDone: true,
          remains: await listRemains(world, 0, true),
        };
      }
      const { plan, isDone } = toPlan(kinds, chosen, needles, session !== undefined);
      const { removed, isClean } = removeNow(plan);
      const areFilesGone =
        !request.deleteFiles || (await world.surroundings?.deleteFiles()) !== false;
      return {
        ...answer,
        removed,
        isDone: isDone && areFilesGone,
        remains: await listRemains(world, answer.mentions.length, isClean),
      };
    },
  };
}

function keyOf({ fromId, toId, type }: { fromId: number; toId: number; type: string }): string {
  return JSON.stringify([fromId, toId, type]);
}

function refuseLongHistory({ store }: World): void {
  const changes = store.revisions.changesSince(0);
  if (changes <= FORGET_CHANGES_MAX) return;
  throw new MemoryError(
    'limit_exceeded',
    `The history has ${changes} changed rows, and forget goes through ${FORGET_CHANGES_MAX} at most.`,
    { hint: 'Call compact first, with olderThanDays, until it is done. Nothing was changed.' },
  );
}

function nothing({ title, advice }: FoundTarget): MemoryError {
  return new MemoryError('not_found', `Nothing here is or mentions ${title}.`, {
    hint:
      advice ??
      'Names and texts must be exact, case aside in mentions; search_nodes finds them. phrases looks for other texts. Nothing was changed.',
  });
}

/** Throws `invalid_input` for what is there and no mention: a wrong id must not delete for good. */
function choose(
  { store }: World,
  found: readonly Mention[],
  also: readonly string[],
): { chosen: Mention[]; notFound: string[] } {
  const byId = new Map(found.map((one) => [one.id, one]));
  const chosen = [...new Set(also)].flatMap((id) => byId.get(id) ?? []);
  const unknown = [...new Set(also)].filter((id) => !byId.has(id));
  const numbers = unknown.flatMap((id) =>
    Number(/_(?<id>\d{1,15})$/u.exec(id)?.groups?.['id'] ?? 0),
  );
  const existing = new Set(store.changes.existing(numbers));
  const wrong = unknown.filter((_, index) => existing.has(numbers[index] ?? 0));
  if (wrong.length === 0) return { chosen, notFound: unknown };
  throw new MemoryError(
    'invalid_input',
    `${wrong.map((id) => quote(id)).join(', ')} does not mention it.`,
    {
      hint: 'also takes ids that the preview lists as mentions; forget other things by a call of their own. Nothing was changed.',
    },
  );
}

type Kinds = ReadonlyMap<number, { readonly kind: NodeKind; readonly isThere: boolean }>;

/** Throws `limit_exceeded` for more than one call deletes, unless it can go on in another. */
function toPlan(
  target: Kinds,
  chosen: readonly Mention[],
  needles: readonly string[],
  isDivisible: boolean,
): { plan: Plan; isDone: boolean } {
  const kinds = new Map(target);
  for (const { nodeId, what, where } of chosen) {
    if (nodeId === undefined || where === 'past') continue;
    const kind = what === 'observation' || what === 'memory' ? 'fact' : what;
    if (kind !== 'relation') kinds.set(nodeId, { kind, isThere: where === 'now' });
  }
  const present = [...kinds].filter(([, { isThere }]) => isThere);
  const isDone = present.length <= FORGET_NODES_MAX;
  if (!isDone && !isDivisible) {
    throw new MemoryError(
      'limit_exceeded',
      `This is ${present.length} nodes, and one call deletes ${FORGET_NODES_MAX}.`,
      {
        hint: 'Delete some first (delete_observations); forget then removes them from the history too. Nothing was changed.',
      },
    );
  }
  const taken = present.slice(0, FORGET_NODES_MAX);
  const of = (kind: NodeKind) => taken.filter(([, one]) => one.kind === kind).map(([id]) => id);
  return {
    isDone,
    plan: {
      nodes: { entity: of('entity'), fact: of('fact'), turn: of('turn'), summary: of('summary') },
      deleted: [...kinds].filter(([, { isThere }]) => !isThere).map(([id]) => id),
      chosen,
      needles,
    },
  };
}

/** Which versions stay beside those that go out of the middle of a chain. */
function planRelinks({ store }: World, facts: readonly number[]): Relink[] {
  const links = new Map(store.mentions.factLinks(facts).map((one) => [one.nodeId, one]));
  const next = (id: number | null, side: 'supersedes' | 'supersededBy'): number | null => {
    const link = id === null ? undefined : links.get(id);
    return link === undefined ? id : next(link[side], side);
  };
  return [...links.values()]
    .map(({ nodeId, supersedes, supersededBy }) => ({
      nodeId,
      older: next(supersedes, 'supersedes'),
      newer: next(supersededBy, 'supersededBy'),
    }))
    .filter(({ newer }) => newer !== null);
}

/** Returns all nodes that are gone: the facts of an entity and the versions of a fact among them. */
function removeNodes({ store }: World, { nodes }: Plan): number[] {
  const entityFacts = nodes.entity.length === 0 ? [] : store.mentions.factsAbout(nodes.entity);
  if (nodes.entity.length > 0) store.nodes.removeEntities(nodes.entity);
  const gone = new Set([...nodes.entity, ...entityFacts]);
  for (const id of nodes.fact) {
    if (gone.has(id)) continue;
    for (const version of removeFact(store, id)) gone.add(version);
    gone.add(id);
  }
  for (const kind of ['turn', 'summary'] as const) {
    for (const id of nodes[kind]) {
      store.nodes.removePart(kind, id);
      gone.add(id);
    }
  }
  return [...gone];
}

async function listRemains(
  { files, limits, now }: World,
  mentions: number,
  isClean: boolean,
): Promise<Remainder[]> {
  const { files: stored } = (await files?.newest(FILES_PER_CALL_MAX, true)) ?? { files: [] };
  const backups = stored.filter(({ name }) => isBackup(name)).length;
  const exports = stored.length - backups;
  const remains: (Remainder | false)[] = [
    mentions > 0 && { where: 'mentions', what: `${mentions} that were not chosen with also` },
    !isClean && {
      where: 'text index',
      what: 'words in pages that no search reads; the background removes them within minutes',
    },
    exports > 0 && {
      where: 'exports',
      what: `${exports} files of list_files; delete_files deletes them`,
    },
    backups > 0 && {
      where: 'backups',
      what: `${backups} files; delete_files deletes them`,
      // The next daily run replaces the newest, and the first one after its retention removes it.
      ...(limits.backupsEnabled && { until: now + (limits.backupRetentionDays + 2) * DAY_MS }),
    },
    {
      where: 'platform',
      what: 'point-in-time recovery and freed pages of the database, which no tool reads',
      until: now + PLATFORM_DAYS * DAY_MS,
    },
    { where: 'copies', what: COPIES },
  ];
  return remains.filter((one) => one !== false);
}
