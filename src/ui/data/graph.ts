/** The whole graph of a thread, as far as it is drawn: nodes and edges without the texts of most facts. */
import type { EntityWire, RelationWire } from '#http/wire.ts';
import { callTool } from './api.ts';
import type { QueryCache } from './cache.ts';
import { condense, replaceEntities, type GraphData } from './graph-data.ts';
import { useQuery, type Query } from './use-query.ts';

/** More than these are not asked for; the page says how many there are. */
export const ENTITIES_MAX = 5_000;
const PER_PAGE = 1_000;
/** Left over from what was asked for, to choose the most connected from. */
const READ_MAX = 20_000;

function graphKey(threadId: string, at: string | undefined) {
  return [threadId, 'graph', at ?? ''];
}

export function useGraph(threadId: string, at: string | undefined): Query<GraphData> {
  return useQuery(graphKey(threadId, at), () => readGraph(threadId, at));
}

async function readGraph(threadId: string, at: string | undefined): Promise<GraphData> {
  const entities: EntityWire[] = [];
  const relations: RelationWire[] = [];
  let cursor: string | undefined;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- Each page says where the next one begins.
    const page = await callTool(threadId, 'read_graph', {
      limit: PER_PAGE,
      detail: 'full',
      ...(cursor !== undefined && { cursor }),
      ...(at !== undefined && { asOf: at }),
    });
    entities.push(...page.entities);
    relations.push(...page.relations);
    if (page.nextCursor === null || entities.length >= READ_MAX) {
      const { total, nextCursor } = page;
      return { ...condense(entities, relations), total, isCut: nextCursor !== null };
    }
    cursor = page.nextCursor;
  }
}

/**
 * Reads the entities that a write has touched, instead of the whole graph once more. False where that is not
 * enough, because an answer has no room for all of it.
 */
export async function refreshEntities(
  cache: QueryCache,
  threadId: string,
  names: readonly string[],
): Promise<boolean> {
  const { entities, relations, note } = await callTool(threadId, 'open_nodes', {
    names: [...names],
    detail: 'full',
    maxTokens: 12_000,
  });
  if (note !== undefined) return false;
  cache.patch<GraphData>(graphKey(threadId, undefined), (graph) =>
    replaceEntities(graph, new Set(names), entities, relations),
  );
  return true;
}
