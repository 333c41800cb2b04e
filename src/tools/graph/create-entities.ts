import * as z from 'zod';
import { defineTool } from '../define.ts';
import { asBareList, entityShape } from '../shapes.ts';
import { newEntities } from './graph-input.ts';

export const createEntities = defineTool({
  name: 'create_entities',
  title: 'Create entities',
  description:
    'Create entities, all or nothing. A name that is taken is skipped, its facts too: upsert_entities adds to it. Prefer save_memory, which checks quality and saves the relations as well; this is for clients of the reference server.',
  effect: 'add',
  input: () => ({ entities: newEntities().describe('Created together or not at all.') }),
  output: () => ({
    entities: z.array(entityShape()).describe('The entities that are new.'),
    skipped: z.array(z.string()).optional().describe('Names that were taken.'),
  }),
  example: {
    given: [
      { tool: 'create_entities', input: { entities: [{ name: 'Bob', entityType: 'person' }] } },
    ],
    input: {
      entities: [
        { name: 'Alice', entityType: 'person', observations: ['likes coffee', 'works at Acme'] },
        { name: 'Bob', entityType: 'person', observations: ['drinks matcha'] },
      ],
    },
    output: {
      entities: [
        { name: 'Alice', entityType: 'person', observations: ['likes coffee', 'works at Acme'] },
      ],
      skipped: ['Bob'],
    },
  },
  text: asBareList('entities'),
  async run({ entities }, memory) {
    const { created, skipped } = memory.entities.create(entities);
    return {
      entities: created.map((entity) => ({ ...entity, observations: [...entity.observations] })),
      ...(skipped.length > 0 && { skipped: [...skipped] }),
    };
  },
});
