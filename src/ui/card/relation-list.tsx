import { useState } from 'preact/hooks';
import type { RelationWire } from '#http/wire.ts';
import type { Rights } from '../data/session.ts';
import type { ColourOf } from '../data/type-colours.ts';
import { useWrites } from '../data/writes.ts';
import { Button } from '../kit/button.tsx';
import { EntityLink } from '../kit/entity-link.tsx';
import { Icon } from '../kit/icon.tsx';
import { Problem } from '../kit/problem.tsx';
import { Stored } from '../kit/text.tsx';
import { AddRelation } from './add-relation.tsx';

export interface RelationListProps {
  readonly threadId: string;
  readonly name: string;
  readonly relations: readonly RelationWire[];
  readonly rights: Rights;
  readonly colourOf: ColourOf;
}

/** Relations both ways: what it points to, then what points to it. */
export function RelationList({ threadId, name, relations, rights }: RelationListProps) {
  const { deleteRelation } = useWrites(threadId);
  const [isAdding, setAdding] = useState(false);
  const [error, setError] = useState<Error>();
  const outgoing = relations.filter(({ from }) => from === name);
  const incoming = relations.filter(({ from }) => from !== name);
  const remove = (relation: RelationWire) =>
    void deleteRelation(relation).catch((fault: Error) => setError(fault));
  return (
    <section aria-label="Relations">
      <h3>
        Relations{' '}
        <span class="n">
          {incoming.length} in, {outgoing.length} out
        </span>
        <span class="sp" />
        {rights.write && (
          <Button isSmall look="quiet" icon="plus" onClick={() => setAdding(true)}>
            Add
          </Button>
        )}
      </h3>
      {isAdding && <AddRelation {...{ threadId, name }} onClose={() => setAdding(false)} />}
      {error && <Problem error={error} />}
      {relations.length === 0 && !isAdding && <p class="empty">No relations yet.</p>}
      <ul>
        {[...outgoing, ...incoming].map((relation) => {
          const isOut = relation.from === name;
          const other = isOut ? relation.to : relation.from;
          return (
            <li class="rel" key={`${relation.from}\n${relation.relationType}\n${relation.to}`}>
              <span role="img" aria-label={isOut ? 'to' : 'from'}>
                <Icon name={isOut ? 'out' : 'in'} />
              </span>
              <Stored text={relation.relationType} class="mut ell" />
              <EntityLink name={other} />
              {rights.remove && (
                <Button
                  isSmall
                  look="danger"
                  icon="trash"
                  aria-label={`Delete the relation ${relation.relationType} ${other}`}
                  onClick={() => remove(relation)}
                />
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
