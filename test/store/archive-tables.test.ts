import { expect, test } from 'vitest';
import { ARCHIVE_TABLES, columnsOf, historyOf, tableName } from '#store/bulk/archive-tables.ts';
import { openTestMemory } from '#test/memory.ts';

/** Kept by triggers, from what an archive holds. */
const DERIVED = new Set(['observation_count', 'relation_count', 'hidden_from']);

test.each(ARCHIVE_TABLES)(
  'an archive holds every column of %s that does not follow',
  async (table) => {
    await using memory = await openTestMemory();
    await memory.call('read_graph');

    const columns = await memory.query<{ name: string }>(
      'SELECT name FROM pragma_table_info(?)',
      tableName(table),
    );

    const canonical = columns.map(({ name }) => name).filter((name) => !DERIVED.has(name));
    expect(
      columnsOf(table)
        .map(({ column }) => column)
        .toSorted(),
    ).toEqual(canonical.toSorted());
  },
);

test.each(ARCHIVE_TABLES)(
  'an archive holds what the triggers write of %s, in their order',
  async (table) => {
    await using memory = await openTestMemory();
    await memory.call('read_graph');

    const [trigger] = await memory.query<{ sql: string }>(
      "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = ?",
      `${tableName(table)}_inserted`,
    );

    const written = [...(trigger?.sql ?? '').matchAll(/'(\w+)', NEW\.\1/g)].map(([, name]) => name);
    expect(historyOf(table).map(({ column }) => column)).toEqual(written);
  },
);
