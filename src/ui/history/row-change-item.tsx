import type { RowChange } from '#http/wire.ts';
import { Diff } from '../kit/diff.tsx';
import { EntityLink } from '../kit/entity-link.tsx';
import { Stored } from '../kit/text.tsx';

const SIGNS = {
  added: { sign: '+', look: 'a' },
  changed: { sign: '~', look: 'c' },
  deleted: { sign: '−', look: 'd' },
};

const WORDS: Readonly<Record<string, string>> = { observation: 'fact' };

/** One row of the memory before and after. */
export function RowChangeItem({ change }: { readonly change: RowChange }) {
  const { action, what, id, about, before, after } = change;
  const { sign, look } = SIGNS[action];
  const isEntity = about !== null && (what === 'entity' || what === 'observation');
  return (
    <li class="ch">
      <span class={`sg ${look}`} role="img" aria-label={action}>
        {sign}
      </span>
      <div>
        <div class="row">
          {about !== null && (isEntity ? <EntityLink name={about} /> : <Stored text={about} />)}
          <span class="mut">{WORDS[what] ?? what}</span>
          <span class="sp" />
          <span class="id">{id}</span>
        </div>
        <dl class="ba">
          <dt>before</dt>
          <dd>
            {before === null ? (
              <span class="mut">nothing</span>
            ) : (
              <Side {...{ before, after }} side="before" />
            )}
          </dd>
          <dt>after</dt>
          <dd>
            {after === null ? (
              <span class="mut">nothing</span>
            ) : (
              <Side {...{ before, after }} side="after" />
            )}
          </dd>
        </dl>
      </div>
    </li>
  );
}

interface SideProps {
  readonly before: string | null;
  readonly after: string | null;
  readonly side: 'before' | 'after';
}

function Side({ before, after, side }: SideProps) {
  if (before !== null && after !== null) return <Diff {...{ before, after, side }} />;
  return <Stored text={(side === 'before' ? before : after) ?? ''} />;
}
