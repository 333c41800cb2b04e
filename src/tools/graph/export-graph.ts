import * as z from 'zod';
import { OBSERVATIONS_SHOWN_MAX, READ_CHARS_DEFAULT } from '#limits.ts';
import { shorten, type Excerpt } from '#memory/reading/export-graph.ts';
import {
  EXPORT_FORMATS,
  showsObservations,
  writeGraph,
  type ExportFormat,
} from '#transfer/graph-formats.ts';
import { defineTool } from '../define.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { GIVEN_PEOPLE } from './graph-input.ts';

export const exportGraph = defineTool({
  name: 'export_graph',
  title: 'Export graph',
  description:
    'The graph as JSON, a Mermaid flowchart, Graphviz or GraphML, as much of it as fits. The note of a cut export names the route that streams all of it.',
  effect: 'read',
  input: () => ({
    format: z.enum(EXPORT_FORMATS).default('json').describe('mermaid and dot leave out facts.'),
  }),
  output: () => ({
    format: z.enum(EXPORT_FORMATS).describe('The format of content.'),
    content: z.string().describe('The export, as the text block has it.'),
    entities: z.number().describe('Entities in it.'),
    relations: z.number().describe('Relations in it.'),
    total: z
      .object({
        entities: z.number().describe('Entities of the thread.'),
        relations: z.number().describe('Relations of the thread.'),
      })
      .describe('How much there is.'),
    note: note(),
  }),
  example: {
    given: GIVEN_PEOPLE,
    input: { format: 'mermaid' },
    output: {
      format: 'mermaid',
      content: [
        'graph LR',
        '  n0["Alice"]',
        '  n1["Bob"]',
        '  n2["Charlie"]',
        '  n3["Acme"]',
        '  n0 -->|knows| n1',
        '  n0 -->|works_at| n3',
        '  n1 -->|knows| n2',
        '  n2 -->|works_at| n3',
        '',
      ].join('\n'),
      entities: 4,
      relations: 4,
      total: { entities: 4, relations: 4 },
    },
  },
  text: ({ content }) => content,
  run({ format }, memory) {
    const excerpt = memory.excerpt.take({ hasObservations: showsObservations(format) });
    const { content, shown } = writeFitting(format, excerpt);
    const { entities, relations } = excerpt.total;
    return {
      format,
      content,
      entities: shown.entities.length,
      relations: shown.relations.length,
      total: { entities, relations },
      ...noteOnCuts([describeCut(format, shown, memory.threadId)]),
    };
  },
});

/** With the most entities that fit into one answer, found by bisection. */
function writeFitting(format: ExportFormat, excerpt: Excerpt): { content: string; shown: Excerpt } {
  let fitting = 1;
  let tooMany = excerpt.entities.length + 1;
  while (tooMany - fitting > 1) {
    const count = Math.floor((fitting + tooMany) / 2);
    if (write(format, shorten(excerpt, count)).length > READ_CHARS_DEFAULT) tooMany = count;
    else fitting = count;
  }
  const shown = shorten(excerpt, fitting);
  return { content: write(format, shown), shown };
}

function write(format: ExportFormat, { entities, relations }: Excerpt): string {
  return writeGraph(format, {
    entities: entities.map(({ entity, facts }) => ({
      name: entity.name,
      entityType: entity.entityType,
      observations: facts.map(({ content }) => content),
    })),
    relations,
  });
}

/** Undefined for an export that has everything. */
function describeCut(
  format: ExportFormat,
  { entities, relations, total }: Excerpt,
  threadId: string,
): string | undefined {
  const hasCutFacts =
    showsObservations(format) &&
    entities.some(({ entity, facts }) => facts.length < entity.observationCount);
  const isWhole = entities.length === total.entities && relations.length === total.relations;
  if (isWhole && !hasCutFacts) return undefined;
  return [
    `Exported are ${entities.length} of ${total.entities} entities and ${relations.length} of ${total.relations} relations.`,
    ...(hasCutFacts ? [`Of long entities only the first ${OBSERVATIONS_SHOWN_MAX} facts.`] : []),
    `GET /api/threads/${encodeURIComponent(threadId)}/export?format=${format} streams all of it.`,
  ].join(' ');
}
