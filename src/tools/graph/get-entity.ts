import { defineTool } from '../define.ts';
import { entityName } from '../params.ts';
import { entityShape, factsCutNote, note, noteOnCuts, toEntity } from '../shapes.ts';
import { GIVEN_PEOPLE } from './graph-input.ts';

export const getEntity = defineTool({
  name: 'get_entity',
  title: 'Get entity',
  description:
    'One entity with its current facts, without relations; the short form of open_nodes. describe_entity has both in full detail.',
  effect: 'read',
  input: () => ({ name: entityName() }),
  output: () => ({
    ...entityShape().pick({
      name: true,
      entityType: true,
      observations: true,
      moreObservations: true,
    }).shape,
    note: note(),
  }),
  example: {
    given: GIVEN_PEOPLE,
    input: { name: 'alice' },
    output: {
      name: 'Alice',
      entityType: 'person',
      observations: ['likes coffee', 'works at Acme'],
    },
  },
  run({ name }, memory) {
    const view = memory.opening.one(name);
    return { ...toEntity(view, 'brief', memory.threadId), ...noteOnCuts([factsCutNote(view)]) };
  },
});
