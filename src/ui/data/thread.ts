/** What the views ask of a thread. The keys are shared, so that two views of one thing ask once. */
import type { EntityWire, ListedRevision, ObservationWire, RelationWire } from '#http/wire.ts';
import { callTool } from './api.ts';
import { isFact } from './graph-data.ts';
import { useQuery, type Query } from './use-query.ts';

/** Name of the entry of a moment in keys: an empty text is now. */
const momentOf = (at: string | undefined) => at ?? '';
const asOf = (at: string | undefined) => (at === undefined ? {} : { asOf: at });

const CARD_TOKENS = 12_000;
const CHAINS_MAX = 500;
const PAGE = 100;

export interface CardData {
  readonly entity: EntityWire;
  readonly facts: readonly ObservationWire[];
  readonly relations: readonly RelationWire[];
  readonly note: string | undefined;
}

export function cardKey(threadId: string, name: string, at?: string) {
  return [threadId, 'card', name, momentOf(at)];
}

/** Null for an entity that there is not, or was not then. */
export function useCard(
  threadId: string,
  name: string,
  at: string | undefined,
): Query<CardData | null> {
  return useQuery(cardKey(threadId, name, at), () => readCard(threadId, name, at));
}

export async function readCard(
  threadId: string,
  name: string,
  at?: string,
): Promise<CardData | null> {
  const { entities, relations, note } = await callTool(threadId, 'open_nodes', {
    names: [name],
    detail: 'full',
    maxTokens: CARD_TOKENS,
    ...asOf(at),
  });
  const [entity] = entities;
  if (entity === undefined) return null;
  return { entity, facts: entity.observations.filter(isFact), relations, note };
}

/** All versions of an entity's facts, by the id of each version. Of a moment of the past none are known. */
export function useVersions(threadId: string, name: string, at: string | undefined) {
  return useQuery([threadId, 'versions', name, momentOf(at)], async () => {
    if (at !== undefined) return new Map<string, readonly ObservationWire[]>();
    const { history, chains } = await callTool(threadId, 'get_observation_history', {
      entityName: name,
      limit: CHAINS_MAX,
    });
    const byId = new Map(history.map((version) => [version.id, version]));
    const chainOf = new Map<string, readonly ObservationWire[]>();
    for (const chain of chains) {
      const versions = chain.flatMap((id) => byId.get(id) ?? []);
      for (const id of chain) chainOf.set(id, versions);
    }
    return chainOf;
  });
}

export function useTypes(threadId: string) {
  return useQuery([threadId, 'types'], async () => {
    const { types } = await callTool(threadId, 'list_entity_types', {});
    return types;
  });
}

export function useStats(threadId: string) {
  return useQuery([threadId, 'stats'], () => callTool(threadId, 'graph_stats', {}));
}

export function useLatestRevision(threadId: string) {
  return useQuery([threadId, 'latest'], async () => {
    const { changes } = await callTool(threadId, 'get_recent_changes', { limit: 1 });
    return changes[0] ?? null;
  });
}

export interface RevisionList {
  readonly revisions: readonly ListedRevision[];
  /** Whether there are older ones than these. */
  readonly isCut: boolean;
}

/** The newest revisions, up to that many pages of 100; only those since a day, if one is given. */
export function useRevisions(threadId: string, pages: number, since?: string): Query<RevisionList> {
  return useQuery([threadId, 'revisions', String(pages), since ?? ''], () =>
    readRevisions(threadId, pages, since),
  );
}

export async function readRevisions(
  threadId: string,
  pages: number,
  since?: string,
): Promise<RevisionList> {
  const revisions: ListedRevision[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages; page++) {
    // oxlint-disable-next-line no-await-in-loop -- Each page says where the next one begins.
    const { changes, nextCursor } = await callTool(threadId, 'get_recent_changes', {
      limit: PAGE,
      ...(since !== undefined && { since }),
      ...(cursor !== undefined && { cursor }),
    });
    revisions.push(...changes);
    if (nextCursor === null) return { revisions, isCut: false };
    cursor = nextCursor;
  }
  return { revisions, isCut: true };
}

export function useSearch(
  threadId: string,
  query: string,
  entityType: string | undefined,
  at: string | undefined,
) {
  return useQuery([threadId, 'search', query, entityType ?? '', momentOf(at)], async () => {
    const startedAt = performance.now();
    const found = await callTool(threadId, 'search_nodes', {
      query,
      limit: 30,
      detail: 'full',
      maxTokens: CARD_TOKENS,
      ...(entityType !== undefined && { entityType }),
      ...asOf(at),
    });
    return { ...found, tookMs: performance.now() - startedAt };
  });
}

export function useRecall(
  threadId: string,
  query: string,
  maxTokens: number,
  entityType: string | undefined,
  at: string | undefined,
) {
  const key = [threadId, 'recall', query, String(maxTokens), entityType ?? '', momentOf(at)];
  return useQuery(key, () =>
    callTool(threadId, 'recall', {
      query,
      maxTokens,
      ...(entityType !== undefined && { entityType }),
      ...asOf(at),
    }),
  );
}
