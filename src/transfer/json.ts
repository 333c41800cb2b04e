/** The reference memory server's shape, with one entity or relation a line. Loses nothing. */
import type { GraphWriter } from './graph-writer.ts';

export function jsonWriter(): GraphWriter {
  let separator = '\n';
  /** `JSON.stringify` escapes line ends and halves of surrogate pairs, so a line is an item. */
  const item = (value: object) => {
    const line = separator + JSON.stringify(value);
    separator = ',\n';
    return line;
  };
  return {
    start: () => '{"entities":[',
    entity: ({ name, entityType, observations }) => item({ name, entityType, observations }),
    between() {
      separator = '\n';
      return '\n],"relations":[';
    },
    relation: ({ from, to, relationType }) => item({ from, to, relationType }),
    end: () => '\n]}\n',
  };
}
