import * as z from 'zod';
import { defineTool } from '../define.ts';
import { entityName, relationType } from '../params.ts';
import { graphShape, note, toGraph } from '../shapes.ts';
import { GIVEN_PEOPLE, hops } from './graph-input.ts';
import { noteOnNeighbourhood } from './neighbourhood-note.ts';

export const getNeighbors = defineTool({
  name: 'get_neighbors',
  title: 'Get neighbors',
  description:
    'An entity and those within depth relations of it, nearest first, with the relations among them. With relationType only such relations are followed.',
  effect: 'read',
  input: () => ({
    name: entityName(),
    direction: z
      .enum(['out', 'in', 'both'])
      .default('both')
      .describe('Which way to follow relations.'),
    relationType: relationType().optional(),
    depth: hops(),
  }),
  output: () => ({ ...graphShape().shape, note: note() }),
  example: {
    given: GIVEN_PEOPLE,
    input: { name: 'Alice', direction: 'out', relationType: 'knows' },
    output: {
      entities: [
        { name: 'Alice', entityType: 'person', observations: ['likes coffee', 'works at Acme'] },
        { name: 'Bob', entityType: 'person', observations: ['drinks matcha'] },
      ],
      relations: [{ from: 'Alice', to: 'Bob', relationType: 'knows' }],
    },
  },
  run({ name, ...request }, memory) {
    const found = memory.neighbourhood.around(name, request);
    return { ...toGraph(found, 'brief', memory.threadId), ...noteOnNeighbourhood(found) };
  },
});
