import * as z from 'zod';
import { defineTool } from '../define.ts';
import { entityName } from '../params.ts';
import { GIVEN_PAIR } from './shapes.ts';

export const renameEntity = defineTool({
  name: 'rename_entity',
  title: 'Rename entity',
  description:
    'Give an entity another name, which must be free; its facts, relations and history stay. To join two entities, use merge_entities.',
  effect: 'change',
  input: () => ({
    entityName: entityName().describe('Exact name that it has.'),
    newName: entityName().describe('Name that it gets.'),
  }),
  output: () => ({
    name: z.string().describe('Its name now.'),
    before: z.string().describe('Its name before.'),
    observations: z.number().describe('Current facts that it keeps.'),
    relations: z.number().describe('Relations that it keeps.'),
  }),
  example: {
    given: GIVEN_PAIR,
    input: { entityName: 'Ada', newName: 'Ada Lovelace' },
    output: { name: 'Ada Lovelace', before: 'Ada', observations: 1, relations: 2 },
  },
  async run({ entityName: name, newName }, memory) {
    const { entity, before } = memory.renaming.rename(name, newName);
    return {
      name: entity.name,
      before,
      observations: entity.observationCount,
      relations: entity.relationCount,
    };
  },
});
