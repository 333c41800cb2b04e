import * as z from 'zod';
import { defineTool } from '../define.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { GIVEN_PAIR, revisionId, revisionShape, toRevision } from './shapes.ts';

export const undoRevision = defineTool({
  name: 'undo_revision',
  title: 'Undo revision',
  description:
    'Take back what one call did. Refused, naming the later call, when something was built on it, unless cascade undoes that too. An undo can be undone.',
  effect: 'remove',
  restores: true,
  input: () => ({
    revision: revisionId(),
    cascade: z.boolean().default(false).describe('Undo such later calls too.'),
  }),
  output: () => ({
    undone: z.array(revisionShape()).describe('What was undone, newest first.'),
    revision: z
      .number()
      .nullable()
      .describe('The revision that the undo made; null when there was nothing left to undo.'),
    note: note(),
  }),
  example: {
    given: [...GIVEN_PAIR, { tool: 'delete_entities', input: { entityNames: ['Charles'] } }],
    input: { revision: 2 },
    output: {
      undone: [
        {
          revision: 2,
          at: '2026-01-20T10:00:00.000Z',
          actor: 'local',
          tool: 'delete_entities',
          summary: 'delete_entities deleted 2 relations, 1 observation, 1 entity',
          rows: 6,
        },
      ],
      revision: 3,
      note: 'Undo revision 3 to take this undo back.',
    },
  },
  run({ revision: id, cascade }, memory) {
    const { undone, revision } = memory.undoing.undo(id, cascade);
    return {
      undone: undone.map(toRevision),
      revision,
      ...noteOnCuts([
        revision === null
          ? 'Everything that it did had been taken back before.'
          : `Undo revision ${revision} to take this undo back.`,
      ]),
    };
  },
});
