/** What several graph tools take, and the small graph that their examples begin with. */
import * as z from 'zod';
import {
  ENTITY_NAME_CHARS_MAX,
  ENTITY_TYPE_CHARS_MAX,
  ITEMS_PER_CALL_MAX,
  OBSERVATIONS_PER_ENTITY_MAX,
  PATH_DEPTH_MAX,
  RELATION_TYPE_CHARS_MAX,
} from '#limits.ts';
import { checkedLater } from '../define.ts';
import { entityName } from '../params.ts';

const observation = () => z.string().meta({ minLength: 5, maxLength: '{observationCharsMax}' });

/** Read by `graph/rules/create-request.ts`, which names all faults of a request at once. */
export const newEntities = () =>
  z
    .array(
      checkedLater(
        z.object({
          name: z.string().min(1).max(ENTITY_NAME_CHARS_MAX).describe('Unique; identity is exact.'),
          entityType: z.string().min(1).max(ENTITY_TYPE_CHARS_MAX).describe('Stored as given.'),
          observations: z
            .array(observation())
            .max(OBSERVATIONS_PER_ENTITY_MAX)
            .optional()
            .describe('Atomic facts, max {observationCharsMax} chars each.'),
        }),
      ),
    )
    .min(1)
    .max(ITEMS_PER_CALL_MAX);

/** Read by `graph/rules/create-request.ts` as well. */
export const newRelations = () =>
  z
    .array(
      checkedLater(
        z.object({
          from: z.string().min(1).max(ENTITY_NAME_CHARS_MAX).describe('Exact name of an entity.'),
          to: z.string().min(1).max(ENTITY_NAME_CHARS_MAX).describe('Exact name of an entity.'),
          relationType: z.string().min(1).max(RELATION_TYPE_CHARS_MAX).describe("As 'works at'."),
        }),
      ),
    )
    .min(1)
    .max(ITEMS_PER_CALL_MAX);

/** An empty list is a list, as a program may send it. */
export const entityNames = () =>
  z.array(entityName()).max(ITEMS_PER_CALL_MAX).describe('Entity names.');

export const hops = () => z.int().min(0).max(PATH_DEPTH_MAX).default(1).describe('Relations away.');

/** Three people in a row, and where two of them work. */
export const GIVEN_PEOPLE = [
  {
    tool: 'create_entities',
    input: {
      entities: [
        { name: 'Alice', entityType: 'person', observations: ['likes coffee', 'works at Acme'] },
        { name: 'Bob', entityType: 'person', observations: ['drinks matcha'] },
        { name: 'Charlie', entityType: 'person', observations: [] },
        { name: 'Acme', entityType: 'company' },
      ],
    },
  },
  {
    tool: 'create_relations',
    input: {
      relations: [
        { from: 'Alice', to: 'Bob', relationType: 'knows' },
        { from: 'Bob', to: 'Charlie', relationType: 'knows' },
        { from: 'Alice', to: 'Acme', relationType: 'works_at' },
        { from: 'Charlie', to: 'Acme', relationType: 'works_at' },
      ],
    },
  },
];
