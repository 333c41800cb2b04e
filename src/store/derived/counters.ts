/** Reads the counts that triggers keep. */
import { assert } from '#errors.ts';
import type { GraphCounts } from '#graph/rules/quality.ts';
import type { Sql } from '#store/sql.ts';

export interface TypeCount {
  readonly type: string;
  readonly count: number;
}

export interface SessionCounts {
  readonly turns: number;
  readonly sessions: number;
  /** Sessions whose summary is missing or older than a turn. */
  readonly unsummarisedSessions: number;
  readonly summaries: number;
}

export function counterStore(sql: Sql) {
  function valueOf(name: string, label: string): number {
    const row = sql.first<{ value: number }>(
      'SELECT value FROM counter WHERE name = ? AND label = ?',
      name,
      label,
    );
    return row?.value ?? 0;
  }

  return {
    /** One row read for each entity type and relation type, none for the graph itself. */
    totals(): GraphCounts {
      const byName = sql.all<{ name: string; total: number }>(
        'SELECT name, sum(value) AS total FROM counter GROUP BY name',
      );
      const total = (name: string) => byName.find((row) => row.name === name)?.total ?? 0;
      const row = readTotals(sql);
      return {
        entities: total('entity'),
        connectedEntities: row.connected_entities,
        relations: total('relation'),
        observations: row.observations,
        oversizedObservations: row.oversized_observations,
        savesAccepted: row.saves_accepted,
        savesRejected: row.saves_rejected,
      };
    },

    /** Types in use with how many have each, most frequent first. */
    byType(counted: 'entity' | 'relation', limit: number): TypeCount[] {
      return sql.all<TypeCount>(
        'SELECT label AS type, value AS count FROM counter WHERE name = ? ORDER BY value DESC, label LIMIT ?',
        counted,
        limit,
      );
    },

    /** The texts that are kept once for all that bear them: entity types and relation types. */
    labels(): { count: number; bytes: number } {
      const row = sql.first<{ count: number; bytes: number | null }>(
        "SELECT count(*) AS count, sum(octet_length(label)) AS bytes FROM counter WHERE name IN ('entity', 'relation')",
      );
      return { count: row?.count ?? 0, bytes: row?.bytes ?? 0 };
    },

    /** Turns, sessions and summaries. */
    sessionTotals(): SessionCounts {
      const summaries = sql.first<{ n: number | null }>(
        "SELECT sum(value) AS n FROM counter WHERE name = 'summary'",
      );
      const row = readTotals(sql);
      return {
        turns: row.turns,
        sessions: row.sessions,
        unsummarisedSessions: row.unsummarised_sessions,
        summaries: summaries?.n ?? 0,
      };
    },

    summariesOf: (category: string): number => valueOf('summary', category),

    entitiesOfType: (entityType: string): number => valueOf('entity', entityType),

    countRejectedSave(): void {
      sql.run('UPDATE total SET saves_rejected = saves_rejected + 1');
    },
  };
}

type Totals = Record<
  | 'observations'
  | 'oversized_observations'
  | 'connected_entities'
  | 'sessions'
  | 'turns'
  | 'unsummarised_sessions'
  | 'saves_accepted'
  | 'saves_rejected',
  number
>;

function readTotals(sql: Sql): Totals {
  const row = sql.first<Totals>('SELECT * FROM total');
  assert(row !== undefined, 'the schema makes the row of the totals');
  return row;
}
