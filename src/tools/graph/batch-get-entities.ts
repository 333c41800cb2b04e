import * as z from 'zod';
import { defineTool } from '../define.ts';
import { asBareList, entityShape, toEntity } from '../shapes.ts';
import { entityNames, GIVEN_PEOPLE } from './graph-input.ts';

export const batchGetEntities = defineTool({
  name: 'batch_get_entities',
  title: 'Batch get entities',
  description:
    'Entities by name with their current facts, in the order asked for; null for unknown names. Prefer open_nodes, which gives the relations too.',
  effect: 'read',
  input: () => ({ names: entityNames() }),
  output: () => ({
    entities: z.array(entityShape().nullable()).describe('One for each name, in order.'),
  }),
  example: {
    given: GIVEN_PEOPLE,
    input: { names: ['Bob', 'Ghost', 'Acme'] },
    output: {
      entities: [
        { name: 'Bob', entityType: 'person', observations: ['drinks matcha'] },
        null,
        { name: 'Acme', entityType: 'company', observations: [] },
      ],
    },
  },
  text: asBareList('entities'),
  run({ names }, memory) {
    const views = memory.opening.each(names);
    return { entities: views.map((view) => view && toEntity(view, 'brief', memory.threadId)) };
  },
});
