import { diffWords } from '../text/word-diff.ts';
import { visibleText } from '../text/safe-text.ts';

export interface DiffProps {
  readonly before: string;
  readonly after: string;
  /** One side alone, for the two lines of a change. */
  readonly side?: 'before' | 'after';
}

/** What changed between two texts: removed words struck, added ones underlined. */
export function Diff({ before, after, side }: DiffProps) {
  const parts = diffWords(before, after).filter(
    ({ kind }) =>
      kind === 'same' || side === undefined || (kind === 'removed') === (side === 'before'),
  );
  return (
    <span dir="auto" class="stored">
      {parts.map(({ kind, text }, i) => {
        const end = text.slice(text.trimEnd().length);
        const shown = visibleText(text.trimEnd());
        if (kind === 'same') return <span key={i}>{visibleText(text)}</span>;
        return [
          kind === 'removed' ? <del key={i}>{shown}</del> : <ins key={i}>{shown}</ins>,
          end || ' ',
        ];
      })}
    </span>
  );
}
