import { useState } from 'preact/hooks';
import { useWrites } from '../data/writes.ts';
import { EntityPicker } from '../kit/entity-picker.tsx';
import { FormEnd } from '../kit/form-end.tsx';

interface AddRelationProps {
  readonly threadId: string;
  readonly name: string;
  readonly onClose: () => void;
}

export function AddRelation({ threadId, name, onClose }: AddRelationProps) {
  const { addRelation } = useWrites(threadId);
  const [relationType, setType] = useState('');
  const [to, setTo] = useState('');
  const [state, setState] = useState<'idle' | 'saving' | Error>('idle');
  const isWhole = relationType.trim() !== '' && to !== '';
  const save = async () => {
    setState('saving');
    try {
      await addRelation({ from: name, to, relationType: relationType.trim() });
      onClose();
    } catch (error) {
      setState(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return (
    <form
      class="fact open edit"
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
      onSubmit={(event) => {
        event.preventDefault();
        if (isWhole && state !== 'saving') void save();
      }}
    >
      <label class="label">
        Relation
        <input
          class="in"
          autoFocus
          placeholder="reads"
          value={relationType}
          onInput={(event) => setType(event.currentTarget.value)}
        />
      </label>
      <EntityPicker threadId={threadId} label="To the entity" value={to} onInput={setTo} />
      {isWhole && (
        <p class="will">
          Writes: {name} → {relationType.trim()} → {to}
        </p>
      )}
      <FormEnd action="Add the relation" isReady={isWhole} {...{ state, onClose }} />
    </form>
  );
}
