/** Reads the maintained counts; of all of them only the saves are counted from here. */
import type { GraphCounts } from '#graph/quality.ts';
import type { Sql } from './sql.ts';

export function counterStore(sql: Sql) {
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

    entitiesOfType(entityType: string): number {
      return (
        sql.first<{ value: number }>(
          "SELECT value FROM counter WHERE name = 'entity' AND label = ?",
          entityType,
        )?.value ?? 0
      );
    },

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
