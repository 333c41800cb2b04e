/** Reads the maintained counts; of all of them only the saves are counted from here. */
import type { GraphCounts } from '#graph/quality.ts';
import type { Sql } from './sql.ts';

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
      const rows = sql.all<{ name: string; total: number }>(
        'SELECT name, sum(value) AS total FROM counter GROUP BY name',
      );
      const totals = new Map(rows.map(({ name, total }) => [name, total]));
      const total = (name: string) => totals.get(name) ?? 0;
      return {
        entities: total('entity'),
        connectedEntities: total('connected_entity'),
        relations: total('relation'),
        observations: total('observation'),
        oversizedObservations: total('oversized_observation'),
        savesAccepted: total('save_accepted'),
        savesRejected: total('save_rejected'),
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
      const rows = sql.all<{ name: string; label: string; value: number }>(
        `SELECT name, label, value FROM counter
         WHERE name IN ('turn', 'session', 'unsummarised_session', 'summary')`,
      );
      const total = (name: string) =>
        rows.filter((row) => row.name === name).reduce((sum, { value }) => sum + value, 0);
      return {
        turns: total('turn'),
        sessions: total('session'),
        unsummarisedSessions: total('unsummarised_session'),
        summaries: total('summary'),
      };
    },

    summariesOf: (category: string): number => valueOf('summary', category),

    entitiesOfType: (entityType: string): number => valueOf('entity', entityType),

    countSave(outcome: 'save_accepted' | 'save_rejected'): void {
      sql.run(
        /* sql */ `
        INSERT INTO counter (name, label, value) VALUES (?, '', 1)
        ON CONFLICT (name, label) DO UPDATE SET value = value + 1`,
        outcome,
      );
    },
  };
}
