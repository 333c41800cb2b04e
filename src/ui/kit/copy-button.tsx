import { useState } from 'preact/hooks';
import { Button } from './button.tsx';

const SAID_MS = 2_000;

/** Copies all of a text, however much of it is shown. */
export function CopyButton({ text, of }: { readonly text: string; readonly of: string }) {
  const [said, setSaid] = useState<string>();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
    } catch {
      setSaid('Not copied');
    }
    setTimeout(() => setSaid(undefined), SAID_MS);
  };
  return (
    <Button
      isSmall
      icon={said === 'Copied' ? 'check' : 'copy'}
      aria-label={`Copy ${of}`}
      onClick={() => void copy()}
    >
      <span role="status">{said ?? 'Copy'}</span>
    </Button>
  );
}
