/**
 * The file of the reference memory server: one entity or relation a line. It loses nothing of the
 * graph, and an import reads it back.
 */
import type { GraphWriter } from './graph-writer.ts';

export function jsonlWriter(): GraphWriter {
  /** `JSON.stringify` escapes line ends and halves of surrogate pairs, so a line is a record. */
  const line = (record: object) => `${JSON.stringify(record)}\n`;
  return {
    start: () => '',
    entity: ({ name, entityType, observations }) =>
      line({ type: 'entity', name, entityType, observations }),
    between: () => '',
    relation: ({ from, to, relationType }) => line({ type: 'relation', from, to, relationType }),
    end: () => '',
  };
}
