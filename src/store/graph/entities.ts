/** Reads and writes the `entity` table. Knows nothing of facts, edges or search. */
import type { Entity } from '#graph/entity.ts';
import { foldName } from '#graph/names.ts';
import { LIVE } from './live.ts';
import { endOfPrefix } from '#store/prefix.ts';
import { jsonLists } from '#store/json-lists.ts';
import type { Sql } from '#store/sql.ts';

interface EntityRow {
  node_id: number;
  name: string;
  type: string;
  observation_count: number;
  relation_count: number;
  confidence: number;
  importance: number;
  created_at: number;
  updated_at: number;
}

const COLUMNS = `entity.node_id, entity.name, entity.type, entity.observation_count,
  entity.relation_count, node.confidence, node.importance, node.created_at, node.updated_at`;

function toEntity(row: EntityRow): Entity {
  return {
    nodeId: row.node_id,
    name: row.name,
    entityType: row.type,
    confidence: row.confidence,
    importance: row.importance,
    observationCount: row.observation_count,
    relationCount: row.relation_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** A slice in order of creation: after a node id (cheap), or past so many (reads what it skips). */
export interface Slice {
  readonly afterId: number;
  readonly offset: number;
  readonly limit: number;
}

/** Bounds are inclusive; an undefined one is open. */
export interface EntityFilter {
  readonly entityType?: string | undefined;
  readonly updatedFrom?: number | undefined;
  readonly updatedTo?: number | undefined;
  readonly confidenceMin?: number | undefined;
  readonly confidenceMax?: number | undefined;
  readonly importanceMin?: number | undefined;
  readonly importanceMax?: number | undefined;
}

/** Parameters ?1 to ?7 of a filtered query, in this order. */
const MATCHES = `${LIVE}
  AND (?1 IS NULL OR entity.type = ?1)
  AND node.updated_at BETWEEN coalesce(?2, 0) AND coalesce(?3, 9e15)
  AND node.confidence BETWEEN coalesce(?4, 0) AND coalesce(?5, 1)
  AND node.importance BETWEEN coalesce(?6, 0) AND coalesce(?7, 1)`;

/** As the partial indexes of the two have it, or SQLite does not use them. */
export const IS_IMPORTANT = 'node.importance > 0.5';
export const IS_WELL_CONNECTED = 'entity.relation_count >= 8';

/**
 * The nodes of a query and what it asks of them beside `MATCHES`. SQLite cannot know how narrow a bound
 * range is, and would begin at the entities.
 */
function nodesOf({ updatedFrom, updatedTo, importanceMin }: EntityFilter) {
  if (updatedFrom !== undefined || updatedTo !== undefined) {
    return { nodes: 'node INDEXED BY node_entity_updated CROSS', which: 'true' };
  }
  const isImportant = importanceMin !== undefined && importanceMin > 0.5;
  return isImportant
    ? { nodes: 'node INDEXED BY node_entity_important CROSS', which: IS_IMPORTANT }
    : { nodes: 'node', which: 'true' };
}

/** The second is asked only when the first gives fewer rows than are wanted. */
function takeEnough<Row>(limit: number, first: () => Row[], second: () => Row[]): Row[] {
  const rows = first();
  return rows.length < limit ? second() : rows;
}

function filterValues(filter: EntityFilter): (string | number | null)[] {
  return [
    filter.entityType ?? null,
    filter.updatedFrom ?? null,
    filter.updatedTo ?? null,
    filter.confidenceMin ?? null,
    filter.confidenceMax ?? null,
    filter.importanceMin ?? null,
    filter.importanceMax ?? null,
  ];
}

/** The row of an entity whose node is there. */
export interface NewEntityRow {
  readonly nodeId: number;
  readonly name: string;
  readonly entityType: string;
}

/** Counts of what is added together with it; 0 where the triggers count. */
interface Counted extends NewEntityRow {
  readonly observationCount?: number;
  readonly relationCount?: number;
}

export function entityStore(sql: Sql) {
  /** By one statement. */
  function insertMany(entities: readonly Counted[]): void {
    if (entities.length === 0) return;
    const rows = entities.map(
      ({ nodeId, name, entityType, observationCount = 0, relationCount = 0 }) => [
        nodeId,
        name,
        foldName(name),
        entityType,
        observationCount,
        relationCount,
      ],
    );
    for (const list of jsonLists(rows)) {
      sql.run(
        /* sql */ `
        INSERT INTO entity (node_id, name, folded_name, type, observation_count, relation_count)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(?)`,
        list,
      );
    }
  }

  return {
    insert(nodeId: number, name: string, entityType: string): void {
      insertMany([{ nodeId, name, entityType }]);
    },

    insertMany,

    /** The name must be free. */
    rename(nodeId: number, name: string): void {
      sql.run(
        'UPDATE entity SET name = ?, folded_name = ? WHERE node_id = ?',
        name,
        foldName(name),
        nodeId,
      );
    },

    /** The entity of exactly that name, in an answer or not. */
    idOf(name: string): number | undefined {
      return sql.first<{ node_id: number }>('SELECT node_id FROM entity WHERE name = ?', name)
        ?.node_id;
    },

    /** Of the names those that an entity has, in an answer or not. */
    takenAmong(names: readonly string[]): Set<string> {
      const rows = jsonLists(names).flatMap((list) =>
        sql.all<{ name: string }>(
          'SELECT name FROM entity WHERE name IN (SELECT value FROM json_each(?))',
          list,
        ),
      );
      return new Set(rows.map(({ name }) => name));
    },

    setType(nodeId: number, entityType: string): void {
      sql.run('UPDATE entity SET type = ? WHERE node_id = ?', entityType, nodeId);
    },

    /** Exact names only. Missing ones are left out; order follows `names`. */
    findMany(names: readonly string[]): Entity[] {
      return jsonLists(names)
        .flatMap((list) =>
          sql.all<EntityRow>(
            /* sql */ `
            SELECT ${COLUMNS} FROM json_each(?) AS wanted
            JOIN entity ON entity.name = wanted.value JOIN node ON node.id = entity.node_id
            WHERE ${LIVE} ORDER BY wanted.key`,
            list,
          ),
        )
        .map(toEntity);
    },

    /** Entities whose folded name is one of those given, which must be folded. */
    findFolded(foldedNames: readonly string[]): Entity[] {
      return jsonLists(foldedNames)
        .flatMap((list) =>
          sql.all<EntityRow>(
            /* sql */ `
            SELECT ${COLUMNS} FROM json_each(?) AS wanted
            JOIN entity ON entity.folded_name = wanted.value JOIN node ON node.id = entity.node_id
            WHERE ${LIVE} ORDER BY wanted.key, entity.node_id`,
            list,
          ),
        )
        .map(toEntity);
    },

    /** Missing ids are left out; order follows `nodeIds`. */
    findByIds(nodeIds: readonly number[]): Entity[] {
      return sql
        .all<EntityRow>(
          /* sql */ `
          SELECT ${COLUMNS} FROM json_each(?) AS wanted
          JOIN entity ON entity.node_id = wanted.value JOIN node ON node.id = entity.node_id
          WHERE ${LIVE} ORDER BY wanted.key`,
          JSON.stringify(nodeIds),
        )
        .map(toEntity);
    },

    list({ afterId, offset, limit }: Slice): Entity[] {
      return sql
        .all<EntityRow>(
          /* sql */ `
          SELECT ${COLUMNS} FROM entity JOIN node ON node.id = entity.node_id
          WHERE entity.node_id > ? AND ${LIVE}
          ORDER BY entity.node_id LIMIT ? OFFSET ?`,
          afterId,
          limit,
          offset,
        )
        .map(toEntity);
    },

    listOfType(entityType: string, { afterId, offset, limit }: Slice): Entity[] {
      return sql
        .all<EntityRow>(
          /* sql */ `
          SELECT ${COLUMNS} FROM entity JOIN node ON node.id = entity.node_id
          WHERE entity.type = ? AND entity.node_id > ? AND ${LIVE}
          ORDER BY entity.node_id LIMIT ? OFFSET ?`,
          entityType,
          afterId,
          limit,
          offset,
        )
        .map(toEntity);
    },

    allIds(): number[] {
      return sql.all<{ node_id: number }>('SELECT node_id FROM entity').map((row) => row.node_id);
    },

    /** Names that begin with a text, which must be folded; sorted, by the index alone. */
    namesFrom(foldedPrefix: string, limit: number): string[] {
      return sql
        .all<{ name: string }>(
          /* sql */ `
          SELECT entity.name FROM entity JOIN node ON node.id = entity.node_id
          WHERE entity.folded_name >= ?1 AND entity.folded_name < ?2 AND ${LIVE}
          ORDER BY entity.folded_name LIMIT ?3`,
          foldedPrefix,
          endOfPrefix(foldedPrefix),
          limit,
        )
        .map((row) => row.name);
    },

    /** Entities among `candidates` whose folded name contains `part`, in order of creation. */
    listContaining(
      part: string,
      candidates: readonly number[],
      entityType: string | null,
    ): Entity[] {
      return sql
        .all<EntityRow>(
          /* sql */ `
          SELECT ${COLUMNS} FROM json_each(?1) AS candidate
          JOIN entity ON entity.node_id = candidate.value JOIN node ON node.id = entity.node_id
          WHERE instr(entity.folded_name, ?2) > 0 AND (?3 IS NULL OR entity.type = ?3) AND ${LIVE}
          ORDER BY entity.node_id`,
          JSON.stringify(candidates),
          part,
          entityType,
        )
        .map(toEntity);
    },

    /** In order of creation, so that a page does not move under a reader. */
    query(filter: EntityFilter, { afterId, offset, limit }: Slice): Entity[] {
      const { nodes, which } = nodesOf(filter);
      return sql
        .all<EntityRow>(
          /* sql */ `
          SELECT ${COLUMNS} FROM ${nodes} JOIN entity ON entity.node_id = node.id
          WHERE node.kind = 'entity' AND node.id > ?8 AND ${which} AND ${MATCHES}
          ORDER BY node.id LIMIT ?9 OFFSET ?10`,
          ...filterValues(filter),
          afterId,
          limit,
          offset,
        )
        .map(toEntity);
    },

    /** Reads the nodes of the time range or of the importance that is asked for. */
    count(filter: EntityFilter): number {
      const { nodes, which } = nodesOf(filter);
      return (
        sql.first<{ count: number }>(
          /* sql */ `
          SELECT count(*) AS count FROM ${nodes} JOIN entity ON entity.node_id = node.id
          WHERE node.kind = 'entity' AND ${which} AND ${MATCHES}`,
          ...filterValues(filter),
        )?.count ?? 0
      );
    },

    mostRecent(limit: number): Entity[] {
      return sql
        .all<EntityRow>(
          /* sql */ `
          SELECT ${COLUMNS} FROM node JOIN entity ON entity.node_id = node.id
          WHERE node.kind = 'entity' AND ${LIVE}
          ORDER BY node.updated_at DESC, node.id DESC LIMIT ?`,
          limit,
        )
        .map(toEntity);
    },

    /** From the index, which has the important ones; from all entities when these are too few. */
    mostImportant(limit: number): Entity[] {
      const among = (which: string) =>
        sql.all<EntityRow>(
          /* sql */ `
          SELECT ${COLUMNS} FROM node JOIN entity ON entity.node_id = node.id
          WHERE node.kind = 'entity' AND ${which} AND ${LIVE}
          ORDER BY node.importance DESC, node.id DESC LIMIT ?`,
          limit,
        );
      return takeEnough(
        limit,
        () => among(IS_IMPORTANT),
        () => among('true'),
      ).map(toEntity);
    },

    /** From the index, which has those with many relations; from all entities when these are too few. */
    mostConnected(limit: number): Entity[] {
      const among = (which: string) =>
        sql.all<EntityRow>(
          /* sql */ `
          SELECT ${COLUMNS} FROM entity JOIN node ON node.id = entity.node_id
          WHERE ${which} AND ${LIVE}
          ORDER BY entity.relation_count DESC, entity.node_id DESC LIMIT ?`,
          limit,
        );
      return takeEnough(
        limit,
        () => among(IS_WELL_CONNECTED),
        () => among('entity.relation_count > 0'),
      ).map(toEntity);
    },

    unconnected(limit: number): Entity[] {
      return sql
        .all<EntityRow>(
          /* sql */ `
          SELECT ${COLUMNS} FROM entity JOIN node ON node.id = entity.node_id
          WHERE entity.relation_count = 0 AND ${LIVE}
          ORDER BY entity.node_id LIMIT ?`,
          limit,
        )
        .map(toEntity);
    },
  };
}
