import * as z from 'zod';
import { formatId } from '#graph/ids.ts';
import { ITEMS_PER_CALL_MAX, OBSERVATIONS_PER_ENTITY_MAX } from '#limits.ts';
import type { AddedObservations, NewObservation } from '#memory/facts/observations.ts';
import { defineTool, LISTED_AS } from '../define.ts';
import { confidence, entityName, importance, observationId } from '../params.ts';
import { GIVEN_PORTFOLIO } from './save-input.ts';

/** A fact with detail is accepted as well, and not listed: no strict mode of a client has a form for "text or object". */
const LISTED_CONTENT = { type: 'string', minLength: 5, maxLength: '{observationCharsMax}' };

const content = () => z.string();

const contentWithDetail = () =>
  z.object({
    content: content(),
    confidence: confidence().optional(),
    importance: importance().optional(),
    supersedes: observationId().optional().describe('Id of the fact it replaces.'),
  });

export const addObservations = defineTool({
  name: 'add_observations',
  title: 'Add observations',
  description:
    'Add facts to existing entities, all or nothing. What is known word for word is skipped. An outdated fact in similar wants update_observation.',
  effect: 'add',
  input: () => ({
    observations: z
      .array(
        z.object({
          entityName: entityName(),
          contents: z
            .array(z.union([content(), contentWithDetail()]).meta({ [LISTED_AS]: LISTED_CONTENT }))
            .min(1)
            .max(OBSERVATIONS_PER_ENTITY_MAX)
            .describe('Atomic facts.'),
        }),
      )
      .min(1)
      .max(ITEMS_PER_CALL_MAX)
      .describe('Facts by entity.'),
  }),
  output: () => ({
    results: z
      .array(
        z.object({
          entityName: z.string().describe('Name as stored.'),
          addedObservations: z.array(z.string()).describe('What was added.'),
          ids: z.array(z.string()).describe('Their ids, in the same order.'),
          skipped: z.array(z.string()).describe('What was known already.'),
          similar: z
            .array(
              z.object({
                id: z.string().describe('Id of the older fact.'),
                content: z.string().describe('What it says.'),
                similarTo: z.string().describe('Id of the fact just added.'),
              }),
            )
            .describe('Older facts that may now be outdated.'),
        }),
      )
      .describe('One result for each item, in order.'),
  }),
  example: {
    given: GIVEN_PORTFOLIO,
    input: {
      observations: [
        { entityName: 'Andrii', contents: ['Works at Google', 'Prefers dark mode'] },
        { entityName: 'Portfolio', contents: ['Contains 3 main tables'] },
      ],
    },
    output: {
      results: [
        {
          entityName: 'Andrii',
          addedObservations: ['Prefers dark mode'],
          ids: ['obs_13'],
          skipped: ['Works at Google'],
          similar: [],
        },
        {
          entityName: 'Portfolio',
          addedObservations: ['Contains 3 main tables'],
          ids: ['obs_14'],
          skipped: [],
          similar: [{ id: 'obs_11', content: 'Contains 2 main tables', similarTo: 'obs_14' }],
        },
      ],
    },
  },
  async run({ observations }, memory) {
    const added = memory.observations.add(
      observations.map((item) => ({ ...item, contents: item.contents.map(toObservation) })),
    );
    return { results: added.map(toResult) };
  },
});

function toObservation(
  given: z.infer<ReturnType<typeof content | typeof contentWithDetail>>,
): NewObservation {
  return typeof given === 'string' ? { content: given } : given;
}

function toResult({ entity, added, skipped, similar }: AddedObservations) {
  return {
    entityName: entity.name,
    addedObservations: added.map((fact) => fact.content),
    ids: added.map(({ nodeId }) => formatId('observation', nodeId)),
    skipped: [...skipped],
    similar: similar.map(({ fact, added: newer }) => ({
      id: formatId('observation', fact.nodeId),
      content: fact.content,
      similarTo: formatId('observation', newer.nodeId),
    })),
  };
}
