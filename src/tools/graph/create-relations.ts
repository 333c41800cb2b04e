import * as z from 'zod';
import { defineTool } from '../define.ts';
import { asBareList, relationShape } from '../shapes.ts';
import { GIVEN_PEOPLE, newRelations } from './graph-input.ts';

export const createRelations = defineTool({
  name: 'create_relations',
  title: 'Create relations',
  description:
    'Create directed relations between entities that exist, all or nothing. An unknown name refuses the whole list; what is there already is skipped. Prefer save_memory for entities that are new.',
  effect: 'add',
  input: () => ({ relations: newRelations().describe('Created together or not at all.') }),
  output: () => ({
    relations: z.array(relationShape()).describe('The relations that are new.'),
    skipped: z.array(relationShape()).optional().describe('Relations that were there.'),
  }),
  example: {
    given: GIVEN_PEOPLE,
    input: {
      relations: [
        { from: 'Alice', to: 'Bob', relationType: 'knows' },
        { from: 'Bob', to: 'Acme', relationType: 'works_at' },
      ],
    },
    output: {
      relations: [{ from: 'Bob', to: 'Acme', relationType: 'works_at' }],
      skipped: [{ from: 'Alice', to: 'Bob', relationType: 'knows' }],
    },
  },
  text: asBareList('relations'),
  run({ relations }, memory) {
    const { created, skipped } = memory.relations.create(relations);
    return {
      relations: [...created],
      ...(skipped.length > 0 && { skipped: [...skipped] }),
    };
  },
});
