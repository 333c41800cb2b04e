import { findWords } from '../text/found-entities.ts';
import { visibleText } from '../text/safe-text.ts';

/** A stored text with the words of a query marked. */
export function Highlighted({ text, query }: { readonly text: string; readonly query: string }) {
  const shown = visibleText(text);
  const words = findWords(shown, query);
  let end = 0;
  return (
    <span dir="auto" class="stored">
      {words.map(([from, to]) => {
        const before = shown.slice(end, from);
        end = to;
        return [before, <mark key={from}>{shown.slice(from, to)}</mark>];
      })}
      {shown.slice(end)}
    </span>
  );
}
