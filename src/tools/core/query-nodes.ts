import * as z from 'zod';
import { parseTime } from '#graph/moment.ts';
import { defineTool } from '../define.ts';
import { entityType, isoTime, pageCursor, pageLimit, unit } from '../params.ts';
import { graphShape, note, noteOnCuts, relationsCutNote, toGraph } from '../shapes.ts';
import { GIVEN_PORTFOLIO } from './save-input.ts';

export const queryNodes = defineTool({
  name: 'query_nodes',
  title: 'Query nodes',
  description:
    'Filters entities by time of change, confidence and importance, bounds included, in full detail. It does not search: recall and search_nodes do.',
  effect: 'read',
  input: () => ({
    timestampStart: isoTime().optional().describe('Changed since.'),
    timestampEnd: isoTime().optional().describe('Changed until.'),
    confidenceMin: unit().optional().describe('0 to 1.'),
    confidenceMax: unit().optional().describe('0 to 1.'),
    importanceMin: unit().optional().describe('0 to 1.'),
    importanceMax: unit().optional().describe('0 to 1.'),
    entityType: entityType().optional(),
    limit: pageLimit(),
    cursor: pageCursor(),
  }),
  output: () => ({
    ...graphShape().shape,
    total: z.number().describe('Entities that match, on all pages together.'),
    nextCursor: z.string().nullable().describe('Cursor of the next page; null for the last.'),
    note: note(),
  }),
  example: {
    given: GIVEN_PORTFOLIO,
    input: { importanceMin: 0.95 },
    output: {
      entities: [
        {
          name: 'Andrii',
          entityType: 'Person',
          observations: [
            fact('obs_4', 'Works at Google'),
            fact('obs_5', 'Author of MCP Memory Server'),
            fact('obs_6', 'Uses Windows'),
          ],
          id: 'ent_1',
          confidence: 1,
          importance: 1,
          createdAt: '2026-01-20T10:00:00.000Z',
          updatedAt: '2026-01-20T10:00:00.000Z',
        },
      ],
      relations: [relation('Python Scripts', 'created'), relation('Portfolio', 'updates for')],
      total: 1,
      nextCursor: null,
    },
  },
  run({ timestampStart, timestampEnd, limit, cursor, ...bounds }, memory) {
    const filter = {
      ...bounds,
      updatedFrom: timestampStart === undefined ? undefined : parseTime(timestampStart)?.from,
      updatedTo: timestampEnd === undefined ? undefined : parseTime(timestampEnd)?.until,
    };
    const page = memory.reading.query(filter, { limit, cursor, detail: 'full' });
    return {
      ...toGraph(page, 'full', memory.threadId),
      total: page.total,
      nextCursor: page.nextCursor,
      ...noteOnCuts([relationsCutNote(page)]),
    };
  },
});

function fact(id: string, content: string) {
  return {
    id,
    content,
    timestamp: '2026-01-20T10:00:00.000Z',
    version: 1,
    agentThreadId: 'example',
    confidence: 1,
    importance: 1,
  };
}

function relation(to: string, type: string) {
  const createdAt = '2026-01-20T10:00:00.000Z';
  return { from: 'Andrii', to, relationType: type, importance: 0.7, createdAt };
}
