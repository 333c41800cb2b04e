import { useState } from 'preact/hooks';
import type { ObservationWire } from '#http/wire.ts';
import type { Rights } from '../data/session.ts';
import { useWrites } from '../data/writes.ts';
import { Button } from '../kit/button.tsx';
import { ImportanceBar } from '../kit/importance-bar.tsx';
import { Problem } from '../kit/problem.tsx';
import { Stored } from '../kit/text.tsx';
import { Time } from '../kit/time.tsx';
import { FactEditor } from './fact-editor.tsx';
import { VersionTimeline } from './version-timeline.tsx';

export type FactMode = 'versions' | 'edit';

export interface FactRowProps {
  readonly threadId: string;
  readonly name: string;
  readonly fact: ObservationWire;
  /** All versions, oldest first; undefined while they are on their way. */
  readonly versions: readonly ObservationWire[] | undefined;
  readonly rights: Rights;
  readonly isMarked: boolean;
  readonly mode: FactMode | undefined;
  readonly onMode: (mode: FactMode | undefined) => void;
}

/** One fact: what it says, then what is known about it. */
export function FactRow(props: FactRowProps) {
  const { threadId, name, fact, versions, rights, isMarked, mode, onMode } = props;
  const hasVersions = fact.version > 1 && versions !== undefined;
  if (mode === 'edit') {
    return (
      <li class="fact open">
        <FactEditor {...{ threadId, name, fact }} onClose={() => onMode(undefined)} />
      </li>
    );
  }
  return (
    <li
      class={`fact${mode === 'versions' ? ' open' : ''}${isMarked ? ' marked' : ''}`}
      id={fact.id}
    >
      <p>
        <Stored text={fact.content} />{' '}
        {fact.confidence < 1 && <span class="chip warn">confidence {fact.confidence}</span>}
      </p>
      <div class="m">
        <span class="id">{fact.id}</span>
        <Time at={fact.timestamp} />
        {hasVersions ? (
          <button
            type="button"
            class="link"
            aria-expanded={mode === 'versions'}
            onClick={() => onMode(mode === 'versions' ? undefined : 'versions')}
          >
            v{fact.version}
          </button>
        ) : (
          <span>v{fact.version}</span>
        )}
        <ImportanceBar value={fact.importance} />
        {fact.sourceTurn && <span class="id">{fact.sourceTurn}</span>}
      </div>
      {mode === 'versions' && versions && <VersionTimeline versions={versions} />}
      {rights.write && (
        <FactActions {...{ threadId, name, fact, rights }} onEdit={() => onMode('edit')} />
      )}
    </li>
  );
}

interface FactActionsProps extends Pick<FactRowProps, 'threadId' | 'name' | 'fact' | 'rights'> {
  readonly onEdit: () => void;
}

function FactActions({ threadId, name, fact, rights, onEdit }: FactActionsProps) {
  const { deleteFact } = useWrites(threadId);
  const [error, setError] = useState<Error>();
  const remove = () => deleteFact(name, fact.id).catch((fault: Error) => setError(fault));
  return (
    <>
      <div class="fa">
        <Button isSmall look="quiet" icon="edit" aria-label="Correct this fact" onClick={onEdit} />
        {rights.remove && (
          <Button
            isSmall
            look="danger"
            icon="trash"
            aria-label="Delete this fact"
            onClick={() => void remove()}
          />
        )}
      </div>
      {error && <Problem error={error} />}
    </>
  );
}
