import { defineTool } from '../define.ts';
import { asBareList } from '../shapes.ts';
import { GIVEN_PEOPLE } from './graph-input.ts';
import { typeCounts } from './type-counts.ts';

export const listEntityTypes = defineTool({
  name: 'list_entity_types',
  title: 'List entity types',
  description: 'Distinct entity types with how many entities have each, most frequent first.',
  effect: 'read',
  input: () => ({}),
  output: () => ({ types: typeCounts() }),
  example: {
    given: GIVEN_PEOPLE,
    input: {},
    output: {
      types: [
        { type: 'person', count: 3 },
        { type: 'company', count: 1 },
      ],
    },
  },
  text: asBareList('types'),
  run(_, memory) {
    return { types: memory.analytics.types('entity') };
  },
});
