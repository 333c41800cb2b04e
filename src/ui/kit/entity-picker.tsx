import { useId } from 'preact/hooks';
import { callTool } from '../data/api.ts';
import { useQuery } from '../data/use-query.ts';
import { useSettled } from '../data/use-settled.ts';

export interface EntityPickerProps {
  readonly threadId: string;
  readonly label: string;
  readonly value: string;
  readonly onInput: (name: string) => void;
}

const FOUND_MAX = 12;

/** A field for the name of an entity, which proposes those that there are. */
export function EntityPicker({ threadId, label, value, onInput }: EntityPickerProps) {
  const id = useId();
  const pattern = useSettled(value.trim());
  const { value: found } = useQuery([threadId, 'names', pattern], async () => {
    if (pattern === '') return [];
    const { entities } = await callTool(threadId, 'list_entities', {
      namePattern: pattern.slice(0, 100),
      limit: FOUND_MAX,
    });
    return entities;
  });
  return (
    <label class="label">
      {label}
      <input
        class="in"
        list={id}
        autoComplete="off"
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <datalist id={id}>
        {found?.map(({ name, entityType }) => (
          <option key={name} value={name}>
            {entityType}
          </option>
        ))}
      </datalist>
    </label>
  );
}
