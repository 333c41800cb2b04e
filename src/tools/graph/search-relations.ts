import * as z from 'zod';
import { LIST_LIMIT_DEFAULT, PAGE_SIZE_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { entityName, relationType } from '../params.ts';
import { asBareList, note, noteOnCuts, relationShape, toRelation } from '../shapes.ts';
import { GIVEN_PEOPLE } from './graph-input.ts';

/** A cursor holds a relation type, each character of which may take twelve. */
const CURSOR_CHARS_MAX = 1_000;

export const searchRelations = defineTool({
  name: 'search_relations',
  title: 'Search relations',
  description:
    'Filters relations by start, end and type, exactly; a field that is left out or empty matches all. Direction counts: ask twice to have both. To find things by what is said of them prefer search_nodes.',
  effect: 'read',
  input: () => ({
    from: entityName().optional().describe('Entity they start at.'),
    to: entityName().optional().describe('Entity they point to.'),
    relationType: relationType().optional(),
    limit: z
      .int()
      .min(1)
      .max(PAGE_SIZE_MAX)
      .default(LIST_LIMIT_DEFAULT)
      .describe('Relations per page.'),
    cursor: z.string().max(CURSOR_CHARS_MAX).optional().describe('nextCursor of the page before.'),
  }),
  output: () => ({
    relations: z.array(relationShape()).describe('Relations that match.'),
    nextCursor: z.string().nullable().describe('Cursor of the next page; null for the last.'),
    note: note(),
  }),
  example: {
    given: GIVEN_PEOPLE,
    input: { from: 'Alice', relationType: 'knows' },
    output: {
      relations: [{ from: 'Alice', to: 'Bob', relationType: 'knows' }],
      nextCursor: null,
    },
  },
  text: asBareList('relations'),
  run({ limit, cursor, ...filter }, memory) {
    const page = memory.relationSearch.search(filter, { limit, cursor });
    return {
      relations: page.relations.map((one) => toRelation(one, 'brief')),
      nextCursor: page.nextCursor,
      ...noteOnCuts([
        page.nextCursor !== null &&
          `There are more. Call search_relations with cursor '${page.nextCursor}' for the next page.`,
        page.missing.length > 0 &&
          `Not in this thread: ${page.missing.map((name) => `'${name}'`).join(', ')}.`,
      ]),
    };
  },
});
