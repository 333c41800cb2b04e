import * as z from 'zod';
import { RELATION_TYPE_CHARS_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { entityName, ownerId } from '../params.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { nodeFailure } from './failure.ts';
import { metadataInput } from './node-input.ts';
import { EXAMPLE_TIME, factId, success } from './shapes.ts';
import { toTriplet, tripletShape } from './triplet-shape.ts';

export const createTriplet = defineTool({
  name: 'create_triplet',
  title: 'Create triplet',
  description:
    'Relates two entities by their exact names, and creates those that do not exist. A triplet that exists is left as it is. With facts about them prefer save_memory.',
  effect: 'add',
  input: () => ({
    subject: entityName(),
    predicate: z.string().max(RELATION_TYPE_CHARS_MAX).describe('As works_at.'),
    object_value: entityName(),
    owner_id: ownerId(),
    metadata: metadataInput().optional(),
    fact_id: factId().optional().describe('A fact that says so, to be linked to both.'),
  }),
  output: () => ({
    success: success(),
    triplet: tripletShape().describe('The triplet.'),
    note: note(),
  }),
  example: {
    input: { subject: 'Ada', predicate: 'works_at', object_value: 'Acme' },
    output: {
      success: true,
      triplet: {
        subject: 'Ada',
        predicate: 'works_at',
        object_value: 'Acme',
        subject_id: 'ent_1',
        object_id: 'ent_2',
        metadata: {},
        created_at: EXAMPLE_TIME,
      },
    },
  },
  failure: nodeFailure,
  async run({ subject, predicate, object_value, metadata, fact_id }, { triplets }) {
    const given = { subject, predicate, object: object_value, metadata, factId: fact_id };
    const triplet = triplets.create(given);
    return {
      success: true,
      triplet: toTriplet(triplet),
      ...noteOnCuts([!triplet.isNew && 'The triplet exists and was left as it is.']),
    };
  },
});
