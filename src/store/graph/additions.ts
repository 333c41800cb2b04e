/**
 * Adds entities, facts and relations with all that follows from them: one statement for each table, and
 * each count is written once, however many rows it counts. For a revision that was opened as one that
 * counts itself: there the triggers leave inserted rows uncounted.
 */
import type { Edge } from '#graph/edge.ts';
import { edgeStore, type NewEdge } from './edges.ts';
import { entityStore, type NewEntityRow } from './entities.ts';
import { factStore, type NewFact } from './facts.ts';
import { jsonLists } from '#store/json-lists.ts';
import type { Sql } from '#store/sql.ts';

/** Rows of nodes that are there already, all of them active. Ends of relations are entities. */
export interface Additions {
  readonly entities?: readonly NewEntityRow[];
  readonly facts?: readonly NewFact[];
  /** Those that are there already stay as they are. */
  readonly relations?: readonly NewEdge[];
  /** Calls of `save_memory` that end with this; 0 if left out. */
  readonly saves?: number;
}

/** What an entity gains. */
interface Gain {
  observations: number;
  relations: number;
}

export function additionStore(sql: Sql) {
  const tables = { entities: entityStore(sql), facts: factStore(sql), edges: edgeStore(sql) };

  /** Returns how many of the entities had no relation. */
  function raise(gains: ReadonlyMap<number, Gain>): number {
    if (gains.size === 0) return 0;
    const rows = JSON.stringify(
      [...gains].map(([id, { observations, relations }]) => [id, observations, relations]),
    );
    const newlyConnected = sql.first<{ n: number }>(
      /* sql */ `
      SELECT count(*) AS n FROM json_each(?) AS gain JOIN entity ON node_id = gain.value ->> 0
      WHERE relation_count = 0 AND gain.value ->> 2 > 0`,
      rows,
    );
    sql.run(
      /* sql */ `
      UPDATE entity SET observation_count = observation_count + observations,
        relation_count = relation_count + relations
      FROM (SELECT value ->> 0 AS id, value ->> 1 AS observations, value ->> 2 AS relations
            FROM json_each(?))
      WHERE node_id = id`,
      rows,
    );
    return newlyConnected?.n ?? 0;
  }

  function count(name: 'entity' | 'relation', labels: readonly string[]): void {
    for (const list of jsonLists(labels)) {
      sql.run(
        /* sql */ `
        INSERT INTO counter (name, label, value)
        SELECT ?1, value, count(*) FROM json_each(?2) WHERE true GROUP BY value
        ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value`,
        name,
        list,
      );
    }
  }

  /** Observations, oversized ones among them, connected entities, accepted saves. */
  function total(more: readonly number[]): void {
    if (more.every((one) => one === 0)) return;
    sql.run(
      /* sql */ `
      UPDATE total SET observations = observations + ?, oversized_observations = oversized_observations + ?,
        connected_entities = connected_entities + ?, saves_accepted = saves_accepted + ?`,
      ...more,
    );
  }

  return {
    /**
     * Returns the relations that were not there. The counts come first: each statement after one that adds
     * texts makes the text indexes write out what they gathered. What refers to a row comes after it: an undo
     * takes the rows back in the opposite order.
     */
    add({ entities = [], facts = [], relations = [], saves = 0 }: Additions): NewEdge[] {
      const added = tables.edges.findNew(relations);
      const gains = sumGains(facts, added);
      const made = entities.map((entity) => ({ ...entity, gain: takeGain(gains, entity.nodeId) }));
      const connected = made.filter(({ gain }) => gain.relations > 0).length + raise(gains);
      count(
        'entity',
        entities.map(({ entityType }) => entityType),
      );
      count(
        'relation',
        added.map(({ type }) => type),
      );
      const about = facts.filter(({ entityId }) => entityId !== null);
      const oversized = about.filter(({ isAtomic }) => !isAtomic);
      total([about.length, oversized.length, connected, saves]);
      tables.entities.insertMany(
        made.map(({ gain, ...entity }) => ({
          ...entity,
          observationCount: gain.observations,
          relationCount: gain.relations,
        })),
      );
      tables.facts.insertMany(facts);
      tables.edges.insertMany(added);
      return added;
    },
  };
}

function sumGains(facts: readonly NewFact[], relations: readonly Edge[]): Map<number, Gain> {
  const gains = new Map<number, Gain>();
  const gain = (id: number, what: keyof Gain) => {
    const sum = gains.get(id) ?? { observations: 0, relations: 0 };
    sum[what] += 1;
    gains.set(id, sum);
  };
  for (const { entityId } of facts) if (entityId !== null) gain(entityId, 'observations');
  for (const { fromId, toId } of relations) {
    for (const end of new Set([fromId, toId])) gain(end, 'relations');
  }
  return gains;
}

/** What is left are the gains of entities that were there before. */
function takeGain(gains: Map<number, Gain>, id: number): Gain {
  const gain = gains.get(id);
  gains.delete(id);
  return gain ?? { observations: 0, relations: 0 };
}
