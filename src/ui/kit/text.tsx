import { visibleText } from '../text/safe-text.ts';

/** Text that somebody stored: it is never markup, and its direction stays its own. */
export function Stored({ text, class: name }: { readonly text: string; readonly class?: string }) {
  return (
    <span dir="auto" class={name === undefined ? 'stored' : `stored ${name}`}>
      {visibleText(text)}
    </span>
  );
}
