import { useState } from 'preact/hooks';
import { useSession, type Rights } from '../data/session.ts';
import { useCard, type CardData } from '../data/thread.ts';
import type { ColourOf } from '../data/type-colours.ts';
import { Button } from '../kit/button.tsx';
import { TypeDot } from '../kit/entity-link.tsx';
import { Loading } from '../kit/loading.tsx';
import { Problem } from '../kit/problem.tsx';
import { Stored } from '../kit/text.tsx';
import { countOf } from '../text/numbers.ts';
import { DeleteEntityDialog } from './delete-entity-dialog.tsx';
import { FactList } from './fact-list.tsx';
import { MentionList } from './mention-list.tsx';
import { MergeDialog } from './merge-dialog.tsx';
import { RelationList } from './relation-list.tsx';
import { RenameDialog } from './rename-dialog.tsx';

export interface EntityCardProps {
  readonly threadId: string;
  readonly name: string;
  /** A moment of the past, where nothing is written. */
  readonly at: string | undefined;
  readonly colourOf: ColourOf;
  /** Id of the fact that is marked and brought into view. */
  readonly marked?: string | undefined;
  readonly onClose: () => void;
  /** After a rename or a merge the entity is known by another name. */
  readonly onRenamed: (name: string) => void;
}

/** All that is known about one entity, and everything that one can do to it. */
export function EntityCard(props: EntityCardProps) {
  const { threadId, name, at, onClose } = props;
  const { value: card, error, retry } = useCard(threadId, name, at);
  return (
    <aside class="card" tabIndex={-1} aria-label={`Card of ${name}`}>
      {card ? (
        <FullCard {...props} card={card} />
      ) : (
        <div class="card-h">
          <div class="row">
            <Stored text={name} class="nm sp" />
            <Button isSmall look="quiet" icon="x" aria-label="Close the card" onClick={onClose} />
          </div>
          {card === null && (
            <p class="mut">
              {at === undefined
                ? 'This entity does not exist. It may have been renamed, merged or deleted.'
                : 'This entity did not exist then.'}
            </p>
          )}
          {error && <Problem error={error} retry={retry} />}
          {card === undefined && !error && <Loading rows={4} />}
        </div>
      )}
    </aside>
  );
}

function FullCard(props: EntityCardProps & { readonly card: CardData }) {
  const { threadId, name, at, card, colourOf, marked, onClose, onRenamed } = props;
  const session = useSession();
  const rights = at === undefined ? session.rights : { write: false, remove: false };
  const [dialog, setDialog] = useState<'rename' | 'merge' | 'delete'>();
  const close = () => setDialog(undefined);
  const { entity, facts, relations, note } = card;
  return (
    <>
      <header class="card-h">
        <div class="row">
          <h2 class="nm sp">
            <Stored text={entity.name} />
          </h2>
          <Button isSmall look="quiet" icon="x" aria-label="Close the card" onClick={onClose} />
        </div>
        <p class="row wrap note">
          <TypeDot colour={colourOf(entity.entityType)} />
          <Stored text={entity.entityType} class="ink2" />
          <span class="id">{entity.id}</span>
          <span>{countOf(relations.length, 'relation')}</span>
          {entity.importance !== undefined && <span>importance {entity.importance}</span>}
        </p>
        <CardActions rights={rights} onChoose={setDialog} />
        {!session.rights.write && <p class="note">Your token reads only.</p>}
      </header>
      <div class="scroll sp">
        <FactList
          {...{ threadId, name, at, facts, rights, marked }}
          note={at === undefined ? note : undefined}
        />
        <RelationList {...{ threadId, name, relations, rights, colourOf }} />
        {at === undefined && <MentionList threadId={threadId} name={entity.name} />}
      </div>
      {dialog === 'rename' && <RenameDialog {...{ threadId, card, onRenamed }} onClose={close} />}
      {dialog === 'merge' && <MergeDialog {...{ threadId, card, onRenamed }} onClose={close} />}
      {dialog === 'delete' && (
        <DeleteEntityDialog {...{ threadId, card }} onClose={close} onDeleted={onClose} />
      )}
    </>
  );
}

interface CardActionsProps {
  readonly rights: Rights;
  readonly onChoose: (dialog: 'rename' | 'merge' | 'delete') => void;
}

function CardActions({ rights, onChoose }: CardActionsProps) {
  if (!rights.write) return null;
  return (
    <div class="row card-acts">
      <Button isSmall look="quiet" icon="edit" onClick={() => onChoose('rename')}>
        Rename
      </Button>
      {rights.remove && (
        <Button isSmall look="quiet" icon="merge" onClick={() => onChoose('merge')}>
          Merge into
        </Button>
      )}
      {rights.remove && (
        <Button isSmall look="danger" icon="trash" onClick={() => onChoose('delete')}>
          Delete
        </Button>
      )}
    </div>
  );
}
