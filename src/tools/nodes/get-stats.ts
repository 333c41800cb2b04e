import { z } from 'zod';
import type { MemoryNode } from '#graph/memory-node.ts';
import type { NodeStatistics } from '#memory/health.ts';
import { defineTool } from '../define.ts';
import { nodeFailure } from './failure.ts';
import { ownerId, success } from './shapes.ts';

const countsShape = z.object({
  total: z.number().describe('All of them.'),
  active: z.number().describe('In use.'),
  outdated: z.number().describe('No longer true; a superseded fact is one.'),
  archived: z.number().describe('Put away or expired.'),
});

export const getStats = defineTool({
  name: 'get_stats',
  title: 'Get stats',
  description: 'How many facts, entities and relations this memory holds, by status.',
  effect: 'read',
  input: z.object({ owner_id: ownerId }),
  output: z.object({
    success,
    stats: z
      .object({
        owner_id: z.string().describe('Whose memory.'),
        nodes: z.number().describe('Facts and entities.'),
        facts: countsShape.describe('Facts by status.'),
        entities: countsShape.describe('Entities by status.'),
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
    const facts = countsOf(statistics, 'fact');
    const entities = countsOf(statistics, 'entity');
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

function countsOf({ counts }: NodeStatistics, kind: MemoryNode['kind']) {
  const own = counts.filter((one) => one.kind === kind);
  const count = (status: string) => own.find((one) => one.status === status)?.count ?? 0;
  return {
    total: own.reduce((sum, one) => sum + one.count, 0),
    active: count('active'),
    outdated: count('outdated'),
    archived: count('archived'),
  };
}
