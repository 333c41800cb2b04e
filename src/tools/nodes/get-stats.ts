import * as z from 'zod';
import type { NodeStatus } from '#graph/status.ts';
import { defineTool } from '../define.ts';
import { ownerId } from '../params.ts';
import { nodeFailure } from './failure.ts';
import { success } from './shapes.ts';

const countsShape = () =>
  z.object({
    total: z.number().describe('All of them.'),
    active: z.number().describe('In use.'),
    outdated: z.number().describe('No longer true; a superseded fact is one.'),
    archived: z.number().describe('Put away or expired.'),
  });

export const getStats = defineTool({
  name: 'get_stats',
  title: 'Get stats',
  description:
    'How many facts, entities and relations this memory holds, by status. Figures of quality are in graph_stats.',
  effect: 'read',
  input: () => ({ owner_id: ownerId() }),
  output: () => ({
    success: success(),
    stats: z
      .object({
        owner_id: z.string().describe('Whose memory.'),
        nodes: z.number().describe('Facts and entities.'),
        facts: countsShape().describe('Facts by status.'),
        entities: countsShape().describe('Entities by status.'),
        relations: z.number().describe('Edges between nodes.'),
        embedding_backlog: z.number().describe('Texts that have no vector yet.'),
      })
      .describe('The counts.'),
  }),
  example: {
    given: [{ tool: 'create_node', input: { text: 'User moved to Austin' } }],
    input: {},
    output: {
      success: true,
      stats: {
        owner_id: 'default',
        nodes: 1,
        facts: { total: 1, active: 1, outdated: 0, archived: 0 },
        entities: { total: 0, active: 0, outdated: 0, archived: 0 },
        relations: 0,
        embedding_backlog: 0,
      },
    },
  },
  failure: nodeFailure,
  run({ owner_id }, { health }) {
    const statistics = health.statistics();
    const facts = withTotal(statistics.facts);
    const entities = withTotal(statistics.entities);
    return {
      success: true,
      stats: {
        owner_id,
        nodes: facts.total + entities.total,
        facts,
        entities,
        relations: statistics.edges,
        embedding_backlog: statistics.embeddingBacklog,
      },
    };
  },
});

function withTotal(counts: Readonly<Record<NodeStatus, number>>) {
  return { total: counts.active + counts.outdated + counts.archived, ...counts };
}
