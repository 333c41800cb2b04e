import { useQuery } from '../data/use-query.ts';
import { callTool } from '../data/api.ts';
import { useWrites } from '../data/writes.ts';
import { Stored } from '../kit/text.tsx';
import { countOf } from '../text/numbers.ts';
import type { CardDialogProps } from './rename-dialog.tsx';
import { WriteDialog } from './write-dialog.tsx';

interface DeleteEntityDialogProps extends CardDialogProps {
  readonly onDeleted: () => void;
}

const NEIGHBOURS_MAX = 100;

/** Says what goes with an entity, and which neighbours would have no relation left. */
export function DeleteEntityDialog({
  threadId,
  card,
  onClose,
  onDeleted,
}: DeleteEntityDialogProps) {
  const { deleteEntity } = useWrites(threadId);
  const { entity, facts, relations } = card;
  const { name } = entity;
  const others = [...new Set(relations.flatMap(({ from, to }) => [from, to]))].filter(
    (one) => one !== name,
  );
  const { value: orphans } = useQuery([threadId, 'left-alone', name], async () => {
    if (others.length === 0) return [];
    const opened = await callTool(threadId, 'open_nodes', {
      names: others.slice(0, NEIGHBOURS_MAX),
      maxTokens: 12_000,
    });
    return others.filter((other) =>
      opened.relations.every(
        ({ from, to }) => (from !== other && to !== other) || from === name || to === name,
      ),
    );
  });
  return (
    <WriteDialog
      title={`Delete ${name}?`}
      verb="Delete"
      isReady
      onClose={onClose}
      onWrite={async () => {
        await deleteEntity(name);
        onDeleted();
      }}
    >
      <p class="will">
        <Stored text={name} class="med" /> goes with {countOf(facts.length, 'fact')} and{' '}
        {countOf(relations.length, 'relation')}. One undo brings all of it back.
      </p>
      {orphans !== undefined && orphans.length > 0 && (
        <p class="ink2">
          Without any relation afterwards: {orphans.slice(0, 8).join(', ')}
          {orphans.length > 8 && ` and ${orphans.length - 8} more`}.
        </p>
      )}
    </WriteDialog>
  );
}
