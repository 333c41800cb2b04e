import * as z from 'zod';
import { formatId } from '#graph/ids.ts';
import { HISTORY_LIMIT_DEFAULT, PAGE_SIZE_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { entityName, observationId } from '../params.ts';
import { note, noteOnCuts, observationShape, toObservation } from '../shapes.ts';
import { GIVEN_PORTFOLIO } from './save-input.ts';

export const getObservationHistory = defineTool({
  name: 'get_observation_history',
  title: 'Get observation history',
  description:
    'Every version of a fact, oldest first, by the id of any of them; without observationId, of every fact of the entity.',
  effect: 'read',
  input: () => ({
    entityName: entityName(),
    observationId: observationId().optional(),
    limit: z
      .int()
      .min(1)
      .max(PAGE_SIZE_MAX)
      .default(HISTORY_LIMIT_DEFAULT)
      .describe('Facts at most, without an id.'),
  }),
  output: () => ({
    entityName: z.string().describe('Name as stored.'),
    history: z.array(observationShape()).describe('Versions, fact after fact, each oldest first.'),
    chains: z.array(z.array(z.string())).describe('Ids of the versions of each fact.'),
    note: note(),
  }),
  example: {
    given: [
      ...GIVEN_PORTFOLIO,
      {
        tool: 'update_observation',
        input: { entityName: 'Andrii', observationId: 'obs_6', newContent: 'Uses Linux' },
      },
    ],
    input: { entityName: 'Andrii', observationId: 'obs_6' },
    output: {
      entityName: 'Andrii',
      history: [
        {
          id: 'obs_6',
          content: 'Uses Windows',
          timestamp: '2026-01-20T10:00:00.000Z',
          version: 1,
          superseded_by: 'obs_13',
          agentThreadId: 'example',
          confidence: 1,
          importance: 1,
        },
        {
          id: 'obs_13',
          content: 'Uses Linux',
          timestamp: '2026-01-20T10:00:00.000Z',
          version: 2,
          supersedes: 'obs_6',
          agentThreadId: 'example',
          confidence: 1,
          importance: 1,
        },
      ],
      chains: [['obs_6', 'obs_13']],
    },
  },
  run({ entityName: name, observationId: id, limit }, memory) {
    const { entity, chains, isCut } = memory.observations.history(name, id, limit);
    return {
      entityName: entity.name,
      history: chains.flat().map((fact) => toObservation(fact, memory.threadId)),
      chains: chains.map((chain) => chain.map(({ nodeId }) => formatId('observation', nodeId))),
      ...noteOnCuts([isCut && `Only the first ${limit} facts; raise limit or give observationId.`]),
    };
  },
});
