import { useState } from 'preact/hooks';
import type { CardData } from '../data/thread.ts';
import { useWrites } from '../data/writes.ts';
import { countOf } from '../text/numbers.ts';
import { WriteDialog } from './write-dialog.tsx';

export interface CardDialogProps {
  readonly threadId: string;
  readonly card: CardData;
  readonly onClose: () => void;
}

interface RenameDialogProps extends CardDialogProps {
  readonly onRenamed: (name: string) => void;
}

export function RenameDialog({ threadId, card, onClose, onRenamed }: RenameDialogProps) {
  const { renameEntity } = useWrites(threadId);
  const { entity, facts, relations } = card;
  const [name, setName] = useState(entity.name);
  const newName = name.trim();
  return (
    <WriteDialog
      title={`Rename ${entity.name}`}
      verb="Rename"
      isReady={newName !== '' && newName !== entity.name}
      onClose={onClose}
      onWrite={async () => {
        await renameEntity(entity.name, newName);
        onRenamed(newName);
      }}
    >
      <label class="label">
        New name
        <input
          class="in"
          autoFocus
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <p class="will">
        {countOf(facts.length, 'fact')} and {countOf(relations.length, 'relation')} follow. Agents
        that look for the old name will not find it.
      </p>
    </WriteDialog>
  );
}
