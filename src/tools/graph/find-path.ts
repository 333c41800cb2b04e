import * as z from 'zod';
import { defineTool } from '../define.ts';
import { entityName } from '../params.ts';
import { asBareList } from '../shapes.ts';
import { GIVEN_PEOPLE } from './graph-input.ts';

export const findPath = defineTool({
  name: 'find_path',
  title: 'Find path',
  description:
    'Names along the shortest chain of relations between two entities, in either direction. No path is an error. Prefer find_relation_path, which gives the relations too.',
  effect: 'read',
  input: () => ({
    from: entityName(),
    to: entityName(),
  }),
  output: () => ({
    path: z.array(z.string()).describe('Names from one end to the other, both included.'),
  }),
  example: {
    given: GIVEN_PEOPLE,
    input: { from: 'Bob', to: 'Acme' },
    output: { path: ['Bob', 'Alice', 'Acme'] },
  },
  text: asBareList('path'),
  run({ from, to }, memory) {
    return { path: memory.paths.shortest(from, to) };
  },
});
