import * as z from 'zod';
import {
  ALL_PATHS_DEFAULT,
  ALL_PATHS_DEPTH_DEFAULT,
  ALL_PATHS_MAX,
  PATH_DEPTH_MAX,
} from '#limits.ts';
import { defineTool } from '../define.ts';
import { entityName } from '../params.ts';
import { asBareList, note, noteOnCuts } from '../shapes.ts';
import { GIVEN_PEOPLE } from './graph-input.ts';

const NOTES = {
  none: false,
  more: 'There are more paths; ask for more with maxPaths, or for shorter ones with maxDepth.',
  unknown: 'The graph is too dense to be searched to the end: there may be more paths.',
} as const;

export const findAllPaths = defineTool({
  name: 'find_all_paths',
  title: 'Find all paths',
  description:
    'Ways in which two entities are connected, shortest first: chains of relations in either direction that visit no entity twice. No path is an error.',
  effect: 'read',
  input: () => ({
    from: entityName(),
    to: entityName(),
    maxDepth: z
      .int()
      .min(1)
      .max(PATH_DEPTH_MAX)
      .default(ALL_PATHS_DEPTH_DEFAULT)
      .describe('Relations of a path at most.'),
    maxPaths: z
      .int()
      .min(1)
      .max(ALL_PATHS_MAX)
      .default(ALL_PATHS_DEFAULT)
      .describe('Paths at most.'),
  }),
  output: () => ({
    paths: z.array(z.array(z.string())).describe('Names along each path.'),
    note: note(),
  }),
  example: {
    given: GIVEN_PEOPLE,
    input: { from: 'Alice', to: 'Charlie' },
    output: {
      paths: [
        ['Alice', 'Bob', 'Charlie'],
        ['Alice', 'Acme', 'Charlie'],
      ],
    },
  },
  text: asBareList('paths'),
  run({ from, to, ...limits }, memory) {
    const { paths, rest } = memory.paths.all(from, to, limits);
    return { paths: paths.map((path) => [...path]), ...noteOnCuts([NOTES[rest]]) };
  },
});
