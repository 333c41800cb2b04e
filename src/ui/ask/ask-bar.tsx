import { useEffect, useState } from 'preact/hooks';
import { useRouter } from '../app/router.ts';
import { useTypes } from '../data/thread.ts';
import { Button } from '../kit/button.tsx';
import { Icon } from '../kit/icon.tsx';

export interface AskBarProps {
  readonly threadId: string;
  readonly query: string;
  /** Empty for all types. */
  readonly entityType: string;
  readonly maxTokens: number;
  readonly onType: (entityType: string) => void;
  readonly onTokens: (max: number) => void;
}

const TOKENS = [500, 1_000, 2_000, 4_000, 8_000];

/** The question, and how it is to be answered. */
export function AskBar(props: AskBarProps) {
  const { threadId, query, entityType, maxTokens, onType, onTokens } = props;
  const { go } = useRouter();
  const [text, setText] = useState(query);
  const { value: types } = useTypes(threadId);
  useEffect(() => setText(query), [query]);
  return (
    <form
      class="askbar"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        go({ query: text.trim() });
      }}
    >
      <label class="search">
        <Icon name="ask" />
        <input
          type="search"
          autoFocus
          placeholder="Ask a question, or type a few words"
          aria-label="A question or words"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <select
        class="in"
        aria-label="Type"
        value={entityType}
        onChange={(event) => onType(event.currentTarget.value)}
      >
        <option value="">All types</option>
        {types?.map((one) => (
          <option key={one.type}>{one.type}</option>
        ))}
      </select>
      <select
        class="in"
        aria-label="Tokens at most"
        value={maxTokens}
        onChange={(event) => onTokens(Number(event.currentTarget.value))}
      >
        {TOKENS.map((count) => (
          <option key={count} value={count}>
            {count.toLocaleString('en-US')} tokens
          </option>
        ))}
      </select>
      <Button look="primary" type="submit">
        Ask
      </Button>
    </form>
  );
}
