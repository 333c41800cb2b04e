import { defineToolset } from '../define.ts';
import { deleteThread } from './delete-thread.ts';
import { describeRevision } from './describe-revision.ts';
import { forget } from './forget.ts';
import { getRecentChanges } from './get-recent-changes.ts';
import { listThreads } from './list-threads.ts';
import { renameEntity } from './rename-entity.ts';
import { undoActor } from './undo-actor.ts';
import { undoRevision } from './undo-revision.ts';

export const threads = defineToolset({
  name: 'threads',
  title: 'Threads',
  description:
    'Which threads there are, what was changed in one, undo, forgetting for good, and deletion of a thread.',
  instructions: [
    'When a change was a mistake, do not repair it by hand: get_recent_changes finds its revision, describe_revision shows all of it before and after, undo_revision takes it back. undo_actor takes back all that one credential did.',
    'When a name is wrong, call rename_entity; when two entities are one, merge them.',
    'When something must not be kept at all, call forget: it shows what would go, and erases it for good once the user has agreed.',
    'Call delete_thread only when the user has asked for that thread to be deleted.',
  ].join('\n'),
  isDefault: false,
  tools: [
    listThreads,
    getRecentChanges,
    describeRevision,
    undoRevision,
    undoActor,
    renameEntity,
    forget,
    deleteThread,
  ],
});
