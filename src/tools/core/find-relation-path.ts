import * as z from 'zod';
import { PATH_DEPTH_DEFAULT, PATH_DEPTH_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { entityName } from '../params.ts';
import { relationShape } from '../shapes.ts';
import { GIVEN_PORTFOLIO } from './save-input.ts';

export const findRelationPath = defineTool({
  name: 'find_relation_path',
  title: 'Find relation path',
  description:
    'Shortest chain of relations between two entities, in either direction; found: false when there is none.',
  effect: 'read',
  input: () => ({
    from: entityName().describe('Name of one entity.'),
    to: entityName().describe('Name of the other.'),
    maxDepth: z
      .int()
      .min(1)
      .max(PATH_DEPTH_MAX)
      .default(PATH_DEPTH_DEFAULT)
      .describe('Relations at most.'),
  }),
  output: () => ({
    found: z.boolean().describe('Whether there is a path.'),
    path: z.array(z.string()).describe('Names from one end to the other.'),
    relations: z.array(relationShape()).describe('The relations taken, as they are stored.'),
    reason: z.string().optional().describe('Why there is none.'),
  }),
  example: {
    given: GIVEN_PORTFOLIO,
    input: { from: 'Andrii', to: 'Portfolio' },
    output: {
      found: true,
      path: ['Andrii', 'Portfolio'],
      relations: [{ from: 'Andrii', to: 'Portfolio', relationType: 'updates for' }],
    },
  },
  run({ from, to, maxDepth }, memory) {
    const { path, relations, reason } = memory.paths.between(from, to, maxDepth);
    return {
      found: path.length > 0,
      path: [...path],
      relations: [...relations],
      ...(reason !== undefined && { reason }),
    };
  },
});
