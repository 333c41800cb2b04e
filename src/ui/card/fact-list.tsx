import { useEffect, useState } from 'preact/hooks';
import type { ObservationWire } from '#http/wire.ts';
import { useKeys } from '../app/keys.ts';
import type { Rights } from '../data/session.ts';
import { useVersions } from '../data/thread.ts';
import { Button } from '../kit/button.tsx';
import { AddFact } from './add-fact.tsx';
import { FactRow, type FactMode } from './fact-row.tsx';

export interface FactListProps {
  readonly threadId: string;
  readonly name: string;
  readonly at: string | undefined;
  readonly facts: readonly ObservationWire[];
  readonly rights: Rights;
  /** Id of the fact that a link led to. */
  readonly marked: string | undefined;
  /** What the answer of the server left out. */
  readonly note: string | undefined;
}

/** The current facts, each with its versions; `J` and `K` walk, `C` corrects, `A` adds, `V` shows versions. */
export function FactList(props: FactListProps) {
  const { threadId, name, at, facts, rights, marked, note } = props;
  const { value: versions } = useVersions(threadId, name, at);
  const [open, setOpen] = useState<{ readonly id: string; readonly mode: FactMode }>();
  const [isAdding, setAdding] = useState(false);
  useEffect(() => {
    if (marked !== undefined) document.getElementById(marked)?.scrollIntoView({ block: 'nearest' });
  }, [marked]);
  const index = facts.findIndex(({ id }) => id === open?.id);
  const step = (by: number) => {
    const next = facts[Math.min(Math.max(index + by, 0), facts.length - 1)];
    if (next) setOpen({ id: next.id, mode: 'versions' });
  };
  const onOpen = (mode: FactMode) => () =>
    open === undefined ? false : setOpen({ id: open.id, mode });
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    v: onOpen('versions'),
    c: () => (rights.write ? onOpen('edit')() : false),
    a: () => (rights.write ? setAdding(true) : false),
  });
  const earlier = facts.reduce(
    (sum, { id }) => sum + Math.max(0, (versions?.get(id)?.length ?? 1) - 1),
    0,
  );
  return (
    <section aria-label="Facts">
      <h3>
        Facts{' '}
        <span class="n">
          {facts.length} current{earlier > 0 && `, ${earlier} earlier`}
        </span>
        <span class="sp" />
        {rights.write && (
          <Button isSmall look="quiet" icon="plus" onClick={() => setAdding(true)}>
            Add
          </Button>
        )}
      </h3>
      {isAdding && <AddFact {...{ threadId, name, facts }} onClose={() => setAdding(false)} />}
      {facts.length === 0 && !isAdding && <p class="empty">No facts yet.</p>}
      <ul>
        {facts.map((fact) => (
          <FactRow
            key={fact.id}
            {...{ threadId, name, fact, rights }}
            isMarked={fact.id === marked}
            versions={versions?.get(fact.id)}
            mode={open?.id === fact.id ? open.mode : undefined}
            onMode={(mode) => setOpen(mode && { id: fact.id, mode })}
          />
        ))}
      </ul>
      {note && <p class="empty note">{note}</p>}
    </section>
  );
}
