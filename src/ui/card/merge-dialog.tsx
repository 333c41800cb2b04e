import { useState } from 'preact/hooks';
import { readCard, type CardData } from '../data/thread.ts';
import { useQuery } from '../data/use-query.ts';
import { useSettled } from '../data/use-settled.ts';
import { useWrites } from '../data/writes.ts';
import { EntityPicker } from '../kit/entity-picker.tsx';
import { Stored } from '../kit/text.tsx';
import { countOf } from '../text/numbers.ts';
import { planMerge } from '../text/merge-plan.ts';
import type { CardDialogProps } from './rename-dialog.tsx';
import { WriteDialog } from './write-dialog.tsx';

interface MergeDialogProps extends CardDialogProps {
  readonly onRenamed: (name: string) => void;
  /** Filled in already, for a likely duplicate. */
  readonly into?: string;
}

/** Joins an entity to another one, whose name stays. */
export function MergeDialog({ threadId, card, onClose, onRenamed, into = '' }: MergeDialogProps) {
  const { mergeEntities } = useWrites(threadId);
  const { entity } = card;
  const [target, setTarget] = useState(into);
  const name = useSettled(target.trim());
  const { value: other } = useQuery([threadId, 'card', name, ''], () =>
    name === '' ? Promise.resolve(null) : readCard(threadId, name),
  );
  const isReady =
    name === target.trim() &&
    other !== null &&
    other !== undefined &&
    other.entity.name !== entity.name;
  return (
    <WriteDialog
      title={`Merge ${entity.name} into another entity`}
      verb="Merge"
      isReady={isReady}
      onClose={onClose}
      onWrite={async () => {
        await mergeEntities(entity.name, name);
        onRenamed(name);
      }}
    >
      <EntityPicker
        threadId={threadId}
        label="The entity that stays"
        value={target}
        onInput={setTarget}
      />
      {isReady && <MergePreview source={card} target={other} />}
    </WriteDialog>
  );
}

function MergePreview({
  source,
  target,
}: {
  readonly source: CardData;
  readonly target: CardData;
}) {
  const { moved, doubles, relations } = planMerge(source, target);
  return (
    <div class="will">
      <p>
        <Stored text={target.entity.name} class="med" /> keeps its name and type. It gets{' '}
        {countOf(moved.length, 'fact')} and {countOf(relations, 'relation')}.{' '}
        <Stored text={source.entity.name} class="med" /> is gone.
      </p>
      {doubles.length > 0 && (
        <>
          <p>Known to both already, so kept once:</p>
          <ul class="bullets">
            {doubles.map((fact) => (
              <li key={fact}>
                <Stored text={fact} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
