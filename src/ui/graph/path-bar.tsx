import { Button } from '../kit/button.tsx';
import { EntityLink } from '../kit/entity-link.tsx';
import { Icon } from '../kit/icon.tsx';
import { Stored } from '../kit/text.tsx';
import { countOf } from '../text/numbers.ts';
import type { PathState } from './use-graph-state.ts';

/** The shortest way between two entities, while its end is picked and after. */
export function PathBar({
  path,
  onClose,
}: {
  readonly path: PathState;
  readonly onClose: () => void;
}) {
  const { from, to, names } = path;
  return (
    <div class="pathbar" role="status">
      <Icon name="path" />
      {to === undefined && (
        <span>
          From <Stored text={from} class="med" />. Now pick the other end.
        </span>
      )}
      {to !== undefined && names.length === 0 && (
        <span>
          No way leads from <Stored text={from} class="med" /> to <Stored text={to} class="med" />.
        </span>
      )}
      {names.map((name, i) => (
        <>
          {i > 0 && <Icon key={`${name} arrow`} name="right" />}
          <EntityLink key={name} name={name} />
        </>
      ))}
      <span class="sp" />
      {names.length > 0 && <span class="note">{countOf(names.length - 1, 'step')}</span>}
      <Button isSmall look="quiet" icon="x" aria-label="Close the path" onClick={onClose} />
    </div>
  );
}
