import * as z from 'zod';
import { defineTool } from '../define.ts';
import { graphShape, note, toGraph } from '../shapes.ts';
import { entityNames, GIVEN_PEOPLE, hops } from './graph-input.ts';
import { noteOnNeighbourhood } from './neighbourhood-note.ts';

export const extractSubgraph = defineTool({
  name: 'extract_subgraph',
  title: 'Extract subgraph',
  description:
    'Entities within depth relations of any of the named ones, in either direction, nearest first, with the relations among them. missing has unknown names.',
  effect: 'read',
  input: () => ({ names: entityNames(), depth: hops() }),
  output: () => ({
    ...graphShape().shape,
    missing: z.array(z.string()).optional().describe('Names that no entity has.'),
    note: note(),
  }),
  example: {
    given: GIVEN_PEOPLE,
    input: { names: ['Bob', 'Ghost'] },
    output: {
      entities: [
        { name: 'Bob', entityType: 'person', observations: ['drinks matcha'] },
        { name: 'Charlie', entityType: 'person', observations: [] },
        { name: 'Alice', entityType: 'person', observations: ['likes coffee', 'works at Acme'] },
      ],
      relations: [
        { from: 'Bob', to: 'Charlie', relationType: 'knows' },
        { from: 'Alice', to: 'Bob', relationType: 'knows' },
      ],
      missing: ['Ghost'],
    },
  },
  run({ names, depth }, memory) {
    const found = memory.neighbourhood.subgraph(names, depth);
    return {
      ...toGraph(found, 'brief', memory.threadId),
      ...(found.missing.length > 0 && { missing: found.missing }),
      ...noteOnNeighbourhood(found),
    };
  },
});
