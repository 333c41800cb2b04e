import { defineTool } from '../define.ts';
import { asBareList } from '../shapes.ts';
import { GIVEN_PEOPLE } from './graph-input.ts';
import { typeCounts } from './type-counts.ts';

export const listRelationTypes = defineTool({
  name: 'list_relation_types',
  title: 'List relation types',
  description: 'Distinct relation types with how many relations have each, most frequent first.',
  effect: 'read',
  input: () => ({}),
  output: () => ({ types: typeCounts() }),
  example: {
    given: GIVEN_PEOPLE,
    input: {},
    output: {
      types: [
        { type: 'knows', count: 2 },
        { type: 'works_at', count: 2 },
      ],
    },
  },
  text: asBareList('types'),
  run(_, memory) {
    return { types: memory.analytics.types('relation') };
  },
});
