import { useEffect, useRef } from 'preact/hooks';

export interface FactFieldProps {
  readonly label: string;
  readonly value: string;
  /** Characters at most. */
  readonly max: number;
  readonly placeholder?: string;
  readonly onInput: (value: string) => void;
  readonly onSave: () => void;
  readonly onCancel: () => void;
}

/** A field for one fact, with how much of its room is used. Enter saves, Escape cancels. */
export function FactField(props: FactFieldProps) {
  const { label, value, max, placeholder, onInput, onSave, onCancel } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const used = [...value.trim()].length;
  useEffect(() => {
    const area = field.current;
    area?.focus();
    area?.setSelectionRange(area.value.length, area.value.length);
  }, []);
  return (
    <label>
      <span class="row note">
        <span class="sp">{label}</span>
        <span class={used > max ? 'fault num' : 'num'}>
          {used} / {max}
        </span>
      </span>
      <textarea
        ref={field}
        dir="auto"
        value={value}
        placeholder={placeholder}
        aria-invalid={used > max}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.stopPropagation();
            onCancel();
          } else if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault();
            onSave();
          }
        }}
      />
    </label>
  );
}
