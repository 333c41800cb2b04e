/** A relation between two entities as a triplet of names (seed 002). */
import * as z from 'zod';
import { formatId } from '#graph/ids.ts';
import type { Triplet } from '#memory/nodes/triplets.ts';
import { metadataShape } from './shapes.ts';

export const tripletShape = () =>
  z.object({
    subject: z.string().describe('Name of the entity that it starts at.'),
    predicate: z.string().describe('What relates them.'),
    object_value: z.string().describe('Name of the entity that it points to.'),
    subject_id: z.string().describe('Such as ent_1.'),
    object_id: z.string().describe('Such as ent_2.'),
    metadata: metadataShape(),
    created_at: z.number().describe('Epoch milliseconds.'),
  });

export function toTriplet(triplet: Triplet): z.infer<ReturnType<typeof tripletShape>> {
  return {
    subject: triplet.subject,
    predicate: triplet.predicate,
    object_value: triplet.object,
    subject_id: formatId('entity', triplet.subjectId),
    object_id: formatId('entity', triplet.objectId),
    metadata: { ...triplet.metadata },
    created_at: triplet.createdAt,
  };
}
