import * as z from 'zod';
import { LIST_LIMIT_DEFAULT, PAGE_SIZE_MAX, RELATION_TYPE_CHARS_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { entityName, ownerId } from '../params.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { nodeFailure } from './failure.ts';
import { clamped } from './node-input.ts';
import { EXAMPLE_TIME, success } from './shapes.ts';
import { toTriplet, tripletShape } from './triplet-shape.ts';

export const searchTriplets = defineTool({
  name: 'search_triplets',
  title: 'Search triplets',
  description:
    'Filters relations by the name of either end or by the predicate, exactly; without any of them all, in order of creation of the entities. For users of create_triplet; search_relations does the same for the others.',
  effect: 'read',
  input: () => ({
    subject: entityName().optional(),
    predicate: z.string().max(RELATION_TYPE_CHARS_MAX).optional().describe('As works_at.'),
    object_value: entityName().optional(),
    owner_id: ownerId(),
    limit: clamped({ min: 1, max: PAGE_SIZE_MAX, fallback: LIST_LIMIT_DEFAULT }).describe(
      'Triplets at most.',
    ),
  }),
  output: () => ({
    success: success(),
    triplets: z.array(tripletShape()).describe('What was found.'),
    note: note(),
  }),
  example: {
    given: [
      {
        tool: 'create_triplet',
        input: { subject: 'Ada', predicate: 'works_at', object_value: 'Acme' },
      },
    ],
    input: { object_value: 'acme' },
    output: {
      success: true,
      triplets: [
        {
          subject: 'Ada',
          predicate: 'works_at',
          object_value: 'Acme',
          subject_id: 'ent_1',
          object_id: 'ent_2',
          metadata: {},
          created_at: EXAMPLE_TIME,
        },
      ],
    },
  },
  failure: nodeFailure,
  run({ subject, predicate, object_value, limit }, { triplets }) {
    const filter = { subject, predicate, object: object_value };
    const found = triplets.search(filter, limit);
    return {
      success: true,
      triplets: found.triplets.map(toTriplet),
      ...noteOnCuts([found.isCut && 'There are more; name an end or the predicate.']),
    };
  },
});
