import * as z from 'zod';
import { ENTITY_NAME_CHARS_MAX, ITEMS_PER_CALL_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { answerTokens, fitGraph, fittingNotes } from '../fit-graph.ts';
import { asOf, detail } from '../params.ts';
import { graphShape, note, noteOnCuts, pastNote } from '../shapes.ts';
import { GIVEN_PORTFOLIO } from './save-input.ts';

export const openNodes = defineTool({
  name: 'open_nodes',
  title: 'Open nodes',
  description:
    'Fetch entities by name, in that order, with relations; missing lists unknown names.',
  effect: 'read',
  input: () => ({
    names: z
      .array(z.string().max(ENTITY_NAME_CHARS_MAX))
      .min(1)
      .max(ITEMS_PER_CALL_MAX)
      .describe('Entity names.'),
    detail: detail(),
    maxTokens: answerTokens(),
    asOf: asOf(),
  }),
  output: () => ({
    ...graphShape().shape,
    missing: z.array(z.string()).optional().describe('Names that no entity has.'),
    note: note(),
  }),
  example: {
    given: GIVEN_PORTFOLIO,
    input: { names: ['portfolio', 'Ghost'] },
    output: {
      entities: [
        {
          name: 'Portfolio',
          entityType: 'Document',
          observations: [
            'Final file: shevchenko-viktoria-yevgenivna-v4.docx',
            'Contains 2 main tables',
            'Total 21 records',
          ],
        },
      ],
      relations: [
        { from: 'Portfolio', to: 'Andrii', relationType: 'updated by' },
        { from: 'Portfolio', to: 'Python Scripts', relationType: 'modified by' },
        { from: 'Andrii', to: 'Portfolio', relationType: 'updates for' },
        { from: 'Python Scripts', to: 'Portfolio', relationType: 'modifies' },
      ],
      missing: ['Ghost'],
    },
  },
  run({ names, detail: level, maxTokens, asOf: moment }, memory) {
    const past = memory.past.at(moment);
    const opened = past.read(() => memory.reading.open(names, { detail: level }), names);
    const missing = opened.missing.length > 0 ? { missing: opened.missing } : {};
    const fitted = fitGraph(opened, {
      tokensMax: maxTokens,
      detail: level,
      threadId: memory.threadId,
      besides: { ...missing, note: pastNote(past) },
    });
    const { entities, relations } = fitted;
    return {
      entities,
      relations,
      ...missing,
      ...noteOnCuts([
        ...fittingNotes(fitted, {
          entities: 'open the last of the names in another call.',
          facts: 'raise maxTokens, or search_nodes finds what you need.',
        }),
        pastNote(past),
      ]),
    };
  },
});
