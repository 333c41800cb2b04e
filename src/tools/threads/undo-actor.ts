import * as z from 'zod';
import { nameRevisions } from '#memory/history/undo.ts';
import { defineTool } from '../define.ts';
import { sinceMoment } from '../params.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { GIVEN_PAIR, revisionShape, toRevision } from './shapes.ts';

/** Longer than any name of a token or a client; a file may bring others. */
const ACTOR_CHARS_MAX = 200;

export const undoActor = defineTool({
  name: 'undo_actor',
  title: 'Undo actor',
  description:
    'Take back everything that one credential did since a revision, a time or a day, as one revision if it is not huge. What others did stays. Refused, naming the later call, when something of theirs was built on it, unless cascade undoes that too. An undo can be undone.',
  effect: 'remove',
  restores: true,
  input: () => ({
    actor: z.string().min(1).max(ACTOR_CHARS_MAX).describe('As get_recent_changes shows it.'),
    since: sinceMoment(),
    cascade: z.boolean().default(false).describe('Undo what others built on it too.'),
  }),
  output: () => ({
    undone: z.array(revisionShape()).describe('What was undone, newest first; the newest of many.'),
    total: z.number().describe('How many revisions were undone.'),
    revision: z
      .number()
      .nullable()
      .describe(
        'The revision that the undo made, the last of several; null when there was nothing left to undo.',
      ),
    note: note(),
  }),
  example: {
    given: [...GIVEN_PAIR, { tool: 'store_memory', input: { content: 'The office is in Porto' } }],
    input: { actor: 'local', since: '1' },
    output: {
      undone: [
        {
          revision: 2,
          at: '2026-01-20T10:00:00.000Z',
          actor: 'local',
          tool: 'store_memory',
          summary: 'store_memory added 1 memory',
          rows: 2,
        },
      ],
      total: 1,
      revision: 3,
      note: 'Undo revision 3 to take this undo back.',
    },
  },
  async run({ actor, since, cascade }, memory) {
    const { undone, total, revision, made, horizon } = await memory.undoing.undoActor(
      actor,
      since,
      cascade,
    );
    return {
      undone: undone.map(toRevision),
      total,
      revision,
      ...noteOnCuts([
        horizon !== null &&
          `What was done up to revision ${horizon} stays: compact has forgotten that history.`,
        revision === null
          ? 'Everything that it did had been taken back before.'
          : `Undo ${nameRevisions(made.toReversed())} to take this undo back.`,
      ]),
    };
  },
});
