import { useContext, useState } from 'preact/hooks';
import type { ObservationWire } from '#http/wire.ts';
import { ApiError } from '../data/api.ts';
import { useSession } from '../data/session.ts';
import { CacheContext } from '../data/use-query.ts';
import { cardKey } from '../data/thread.ts';
import { useWrites } from '../data/writes.ts';
import { Diff } from '../kit/diff.tsx';
import { FactField } from './fact-field.tsx';
import { FormEnd } from '../kit/form-end.tsx';

interface FactEditorProps {
  readonly threadId: string;
  readonly name: string;
  readonly fact: ObservationWire;
  readonly onClose: () => void;
}

/** Correcting a fact: what it will write stands below the field while one types. */
export function FactEditor({ threadId, name, fact, onClose }: FactEditorProps) {
  const { correctFact } = useWrites(threadId);
  const cache = useContext(CacheContext);
  const { limits } = useSession();
  const [text, setText] = useState(fact.content);
  const [state, setState] = useState<'idle' | 'saving' | Error>('idle');
  const content = text.trim();
  const isChanged = content !== fact.content && content !== '';
  const save = async () => {
    if (!isChanged || state === 'saving') return;
    setState('saving');
    try {
      await correctFact(name, fact.id, content);
      onClose();
    } catch (error) {
      // Somebody was faster: the text here stays, theirs is shown with the card.
      if (error instanceof ApiError && error.code === 'conflict') {
        cache.invalidate([threadId, 'versions']);
        cache.invalidate(cardKey(threadId, name));
      }
      setState(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <FactField
        label="The fact as it is now"
        value={text}
        max={limits.observationCharsMax}
        onInput={setText}
        onSave={() => void save()}
        onCancel={onClose}
      />
      <p class="will">
        Writes version {fact.version + 1}. Version {fact.version} stays readable.
        {isChanged && (
          <>
            <br />
            <Diff before={fact.content} after={content} />
          </>
        )}
      </p>
      <FormEnd action="Correct" isReady={isChanged} {...{ state, onClose }} />
    </form>
  );
}
