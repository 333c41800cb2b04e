import * as z from 'zod';
import { defineTool } from '../define.ts';
import { asOf, detail, entityType, pageCursor, pageLimit, pageOffset } from '../params.ts';
import { graphShape, note, noteOnCuts, pastNote, relationsCutNote, toGraph } from '../shapes.ts';
import { GIVEN_PORTFOLIO } from './save-input.ts';

export const readGraph = defineTool({
  name: 'read_graph',
  title: 'Read graph',
  description:
    'Read the graph by pages, in order of creation, relations with the entity they start at. To find something prefer recall or search_nodes.',
  effect: 'read',
  input: () => ({
    entityType: entityType().optional(),
    limit: pageLimit(),
    offset: pageOffset(),
    cursor: pageCursor(),
    detail: detail(),
    asOf: asOf(),
  }),
  output: () => ({
    ...graphShape().shape,
    total: z
      .object({
        entities: z.number().describe('Entities that match, on all pages together.'),
        relations: z.number().describe('Relations of the whole thread.'),
        observations: z.number().describe('Observations of the whole thread.'),
      })
      .describe('How much there is.'),
    nextCursor: z.string().nullable().describe('Cursor of the next page; null for the last.'),
    note: note(),
  }),
  example: {
    given: GIVEN_PORTFOLIO,
    input: { limit: 1 },
    output: {
      entities: [
        {
          name: 'Andrii',
          entityType: 'Person',
          observations: ['Works at Google', 'Author of MCP Memory Server', 'Uses Windows'],
        },
      ],
      relations: [
        { from: 'Andrii', to: 'Python Scripts', relationType: 'created' },
        { from: 'Andrii', to: 'Portfolio', relationType: 'updates for' },
      ],
      total: { entities: 3, relations: 6, observations: 9 },
      nextCursor: 'YWZ0ZXI6MQ',
      note: "Page of 1 of 3 entities. Call read_graph with cursor 'YWZ0ZXI6MQ' for the next, or search_nodes for what you need.",
    },
  },
  run(request, memory) {
    const past = memory.past.at(request.asOf);
    const { page, totals } = past.read(() => ({
      page: memory.reading.page(request),
      totals: memory.reading.totals(),
    }));
    const { relations, observations } = totals;
    return {
      ...toGraph(page, request.detail, memory.threadId),
      total: { entities: page.total, relations, observations },
      nextCursor: page.nextCursor,
      ...noteOnCuts([
        page.nextCursor !== null &&
          `Page of ${page.entities.length} of ${page.total} entities. Call read_graph with cursor '${page.nextCursor}' for the next, or search_nodes for what you need.`,
        relationsCutNote(page),
        pastNote(past),
      ]),
    };
  },
});
