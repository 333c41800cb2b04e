import * as z from 'zod';
import { defineTool } from '../define.ts';
import { entityName } from '../params.ts';
import { revision, revisionOf } from '../shapes.ts';
import { GIVEN_PEOPLE } from './graph-input.ts';

export const mergeEntities = defineTool({
  name: 'merge_entities',
  title: 'Merge entities',
  description:
    'Merge a duplicate entity into another: facts and relations of source move to target, which keeps its name and type; source is gone.',
  effect: 'remove',
  input: () => ({
    source: entityName().describe('Name to merge away.'),
    target: entityName().describe('Name to keep.'),
  }),
  output: () => ({
    source: z.string().describe('Name that is gone.'),
    target: z.string().describe('Name that stays.'),
    movedObservations: z.number().describe('Current facts that source had.'),
    addedObservations: z.number().describe('Those that are new for target.'),
    redirectedRelations: z.number().describe('Relations that target gained.'),
    revision: revision(),
  }),
  example: {
    given: GIVEN_PEOPLE,
    input: { source: 'Alice', target: 'Charlie' },
    output: {
      source: 'Alice',
      target: 'Charlie',
      movedObservations: 2,
      addedObservations: 2,
      redirectedRelations: 1,
      revision: 3,
    },
  },
  run({ source, target }, memory) {
    return { ...memory.merging.merge(source, target), ...revisionOf(memory) };
  },
});
