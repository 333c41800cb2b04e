import * as z from 'zod';
import { toIsoTime } from '#graph/moment.ts';
import { ENTITY_NAME_CHARS_MAX, MEMORY_CHARS_MAX, SESSION_ID_CHARS_MAX } from '#limits.ts';
import { FORGET_MENTIONS_MAX, FORGET_PHRASES_MAX } from '#memory/forget/limits.ts';
import { COPIES, type Forgotten } from '#memory/forget/forget.ts';
import { defineTool } from '../define.ts';
import { ownerId } from '../params.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { GIVEN_PAIR } from './shapes.ts';

/** Nodes of the target that are named: the rest is counted. */
const TARGET_IDS_SHOWN_MAX = 100;
/** Text that is looked for besides. */
const PHRASE_CHARS_MIN = 3;
const PHRASE_CHARS_MAX = 200;
/** `rel_`, two node ids and the type of a relation. */
const MENTION_ID_CHARS_MAX = 100;

const mentionShape = () =>
  z.object({
    id: z.string().describe('For also.'),
    what: z
      .enum(['entity', 'observation', 'memory', 'turn', 'summary', 'relation'])
      .describe('What it is; an entity goes with its facts, a fact with its versions.'),
    where: z
      .enum(['now', 'past', 'deleted'])
      .describe(
        'now: it goes whole. past: it stays, and its earlier states lose the text. deleted: the history loses it.',
      ),
    text: z.string().describe('Some of it.'),
  });

const removedShape = () =>
  z.object({
    entities: z.number().describe('Entities.'),
    facts: z.number().describe('Facts, all versions counted.'),
    turns: z.number().describe('Turns.'),
    summaries: z.number().describe('Summaries.'),
    relations: z.number().describe('Relations and other links.'),
    changes: z.number().describe('Changes that the history lost, or lost texts of.'),
  });

const remainsShape = () =>
  z.object({
    where: z
      .enum(['mentions', 'text index', 'exports', 'backups', 'platform', 'copies'])
      .describe('Where something of it may stay.'),
    what: z.string().describe('What that is.'),
    until: z.string().optional().describe('ISO 8601; absent while nobody removes it.'),
  });

export const forget = defineTool({
  name: 'forget',
  title: 'Forget',
  description:
    'Erase an entity, fact, turn or session from the thread, its history, indexes and caches: no undo, asOf or later export has it. First shows what would go and what else mentions it; preview: false erases it, with the mentions in also. Ask the user first.',
  effect: 'remove',
  input: () => ({
    entity: z.string().max(ENTITY_NAME_CHARS_MAX).optional().describe('Exact name or id.'),
    fact: z.string().max(MEMORY_CHARS_MAX).optional().describe('Id, or its exact text.'),
    turn: z.string().max(32).optional().describe('Id.'),
    session: z
      .string()
      .max(SESSION_ID_CHARS_MAX)
      .optional()
      .describe('Its id: all its turns and its summary.'),
    phrases: z
      .array(z.string().min(PHRASE_CHARS_MIN).max(PHRASE_CHARS_MAX))
      .max(FORGET_PHRASES_MAX)
      .default([])
      .describe('Other texts that give it away, to find mentions.'),
    also: z
      .array(z.string().max(MENTION_ID_CHARS_MAX))
      .max(FORGET_MENTIONS_MAX)
      .default([])
      .describe('Ids of mentions to erase too.'),
    preview: z.boolean().default(true).describe('false erases.'),
    owner_id: ownerId(),
    delete_files: z
      .boolean()
      .default(false)
      .describe('Delete all exported files and backups of the thread too.'),
  }),
  output: () => ({
    preview: z.boolean().describe('True when nothing was changed.'),
    target: z.array(z.string()).describe('Ids of what it is, deleted nodes included.'),
    targetTotal: z.number().describe('How many there are.'),
    mentions: z.array(mentionShape()).describe('What else mentions it, and was not erased.'),
    removed: removedShape().optional().describe('Absent in a preview.'),
    notFound: z.array(z.string()).optional().describe('Ids in also that name nothing.'),
    done: z.boolean().describe('False when there is more to do: call it again.'),
    remains: z.array(remainsShape()).describe('Where something of it stays, and until when.'),
    note: note(),
  }),
  example: {
    given: GIVEN_PAIR,
    input: { fact: 'Lives in London' },
    output: {
      preview: true,
      target: ['obs_3'],
      targetTotal: 1,
      mentions: [],
      done: true,
      remains: [
        {
          where: 'platform',
          what: 'point-in-time recovery and freed pages of the database, which no tool reads',
          until: '2026-01-20T10:00:00.000Z',
        },
        { where: 'copies', what: COPIES },
      ],
      note: 'Nothing was changed. preview: false erases it for good, with the mentions whose ids are in also.',
    },
  },
  async run({ preview, delete_files, owner_id: _, ...request }, memory) {
    return toOutput(
      preview,
      await memory.forgetting.forget({ ...request, isPreview: preview, deleteFiles: delete_files }),
    );
  },
});

function toOutput(preview: boolean, forgotten: Forgotten) {
  const { target, mentions, isCut, removed, notFound, isDone, remains } = forgotten;
  return {
    preview,
    target: target.slice(0, TARGET_IDS_SHOWN_MAX).map(({ id }) => id),
    targetTotal: target.length,
    mentions: mentions.map(({ id, what, where, text }) => ({ id, what, where, text })),
    ...(removed && { removed: toCounts(removed) }),
    ...(notFound.length > 0 && { notFound: [...notFound] }),
    done: isDone,
    remains: remains.map(({ where, what, until }) => ({
      where,
      what,
      ...(until !== undefined && { until: toIsoTime(until) }),
    })),
    ...noteOnCuts([
      preview &&
        'Nothing was changed. preview: false erases it for good, with the mentions whose ids are in also.',
      !preview && 'This cannot be undone.',
      isCut &&
        `More than ${FORGET_MENTIONS_MAX} mentions: erase some of these, and call it again for the rest.`,
      !isDone && 'There is more to do. Call forget again to go on.',
    ]),
  };
}

function toCounts({ rows, changes }: NonNullable<Forgotten['removed']>) {
  return {
    entities: rows['entity'] ?? 0,
    facts: rows['fact'] ?? 0,
    turns: rows['turn'] ?? 0,
    summaries: rows['summary'] ?? 0,
    relations: rows['edge'] ?? 0,
    changes,
  };
}
