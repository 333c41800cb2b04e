/** Relations by their ends and type, a page at a time. */
import type { Edge, Relation } from '#graph/edge.ts';
import { normaliseType } from '#graph/rules/create-request.ts';
import { LIST_LIMIT_DEFAULT } from '#limits.ts';
import { decodeEdgeCursor, encodeEdgeCursor } from '#memory/reading/cursor.ts';
import { resolveNames } from './entity-names.ts';
import type { World } from '#memory/world.ts';

/** A field that is undefined or empty matches all. */
export interface RelationFilter {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly relationType?: string | undefined;
}

export interface RelationPage {
  readonly relations: readonly Relation[];
  readonly nextCursor: string | null;
  /** Names asked for that no entity has. */
  readonly missing: readonly string[];
}

const FROM_THE_START: Edge = { fromId: 0, toId: 0, type: '' };

export function relationSearchUseCases({ store }: World) {
  return {
    search(
      { from = '', to = '', relationType = '' }: RelationFilter,
      {
        limit = LIST_LIMIT_DEFAULT,
        cursor,
      }: { limit?: number | undefined; cursor?: string | undefined },
    ): RelationPage {
      const after = cursor === undefined ? FROM_THE_START : decodeEdgeCursor(cursor);
      const names = [from, to].filter((name) => name !== '');
      const found = resolveNames(store, names);
      const missing = names.filter((name) => !found.has(name));
      if (missing.length > 0) return { relations: [], nextCursor: null, missing };
      const type = normaliseType(relationType);
      const filter = {
        fromId: found.get(from)?.nodeId ?? null,
        toId: found.get(to)?.nodeId ?? null,
        type: type === '' ? null : type,
      };
      const page = store.edges.find(filter, after, limit + 1);
      const last = page.length > limit ? page[limit - 1] : undefined;
      return {
        relations: page.slice(0, limit).map(({ relation }) => relation),
        nextCursor: last === undefined ? null : encodeEdgeCursor(last.edge),
        missing,
      };
    },
  };
}
