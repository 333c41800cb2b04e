import { Icon } from './icon.tsx';

export interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly placeholder?: string;
}

export function SearchField({
  label,
  value,
  onInput,
  placeholder = 'Search names',
}: SearchFieldProps) {
  return (
    <label class="search">
      <Icon name="ask" />
      <input
        type="search"
        placeholder={placeholder}
        aria-label={label}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {value === '' && <kbd>/</kbd>}
    </label>
  );
}
