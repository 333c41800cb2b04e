import { useMemo, useState } from 'preact/hooks';
import type { ObservationWire } from '#http/wire.ts';
import { useSession } from '../data/session.ts';
import { useWrites } from '../data/writes.ts';
import { Button } from '../kit/button.tsx';
import { Stored } from '../kit/text.tsx';
import { similarFacts } from '../text/similar-facts.ts';
import { FactField } from './fact-field.tsx';
import { FormEnd } from '../kit/form-end.tsx';

interface AddFactProps {
  readonly threadId: string;
  readonly name: string;
  readonly facts: readonly ObservationWire[];
  readonly onClose: () => void;
}

/** A new fact. What is much alike stands below the field, and can be replaced instead. */
export function AddFact({ threadId, name, facts, onClose }: AddFactProps) {
  const { addFact, correctFact } = useWrites(threadId);
  const { limits } = useSession();
  const [text, setText] = useState('');
  const [state, setState] = useState<'idle' | 'saving' | Error>('idle');
  const content = text.trim();
  const similar = useMemo(() => similarFacts(content, facts), [content, facts]);
  const save = async (write: () => Promise<void>) => {
    if (content === '' || state === 'saving') return;
    setState('saving');
    try {
      await write();
      onClose();
    } catch (error) {
      setState(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const add = () => void save(() => addFact(name, content));
  return (
    <form
      class="fact open edit"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <FactField
        label={`A new fact about ${name}`}
        placeholder="Reads positions from the replica only"
        value={text}
        max={limits.observationCharsMax}
        onInput={setText}
        onSave={add}
        onCancel={onClose}
      />
      {similar.map((fact) => (
        <p class="will row" key={fact.id}>
          <span class="sp">
            Much like <span class="id">{fact.id}</span> <Stored text={fact.content} />
          </span>
          <Button isSmall onClick={() => void save(() => correctFact(name, fact.id, content))}>
            Replace it
          </Button>
        </p>
      ))}
      <FormEnd action="Add the fact" isReady={content !== ''} {...{ state, onClose }} />
    </form>
  );
}
