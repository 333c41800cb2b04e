import { useState } from 'preact/hooks';
import { useSession } from '../data/session.ts';
import { useWrites } from '../data/writes.ts';
import { Button } from '../kit/button.tsx';
import { Problem } from '../kit/problem.tsx';
import { ConnectLines } from '../home/connect-lines.tsx';

interface EmptyThreadProps {
  readonly threadId: string;
  readonly at: string | undefined;
}

/** Before the first fact of a thread: how an agent writes it, or oneself. */
export function EmptyThread({ threadId, at }: EmptyThreadProps) {
  const { rights } = useSession();
  if (at !== undefined) return <p class="empty center">This thread was empty then.</p>;
  return (
    <div class="page narrow">
      <h1>Nothing is remembered here yet</h1>
      <p class="ink2 lead">
        The thread begins with its first fact. Connect a client to this thread, and it appears here.
      </p>
      <div class="box box-b">
        <ConnectLines threadId={threadId} />
      </div>
      {rights.write && <FirstEntity threadId={threadId} />}
    </div>
  );
}

function FirstEntity({ threadId }: { readonly threadId: string }) {
  const { createEntity } = useWrites(threadId);
  const [name, setName] = useState('');
  const [type, setType] = useState('');
  const [fact, setFact] = useState('');
  const [error, setError] = useState<Error>();
  const save = async () => {
    try {
      setError(undefined);
      const facts = fact.trim() === '' ? [] : [fact.trim()];
      await createEntity(name.trim(), type.trim(), facts);
    } catch (fault) {
      setError(fault instanceof Error ? fault : new Error(String(fault)));
    }
  };
  const field = (
    label: string,
    placeholder: string,
    value: string,
    set: (value: string) => void,
  ) => (
    <label class="label">
      {label}
      <input
        class="in"
        placeholder={placeholder}
        value={value}
        onInput={(event) => set(event.currentTarget.value)}
      />
    </label>
  );
  return (
    <form
      class="box box-b form sample"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h2>Or write the first entity yourself</h2>
      {field('Entity', 'eta-engine', name, setName)}
      {field('Type', 'Service', type, setType)}
      {field('A fact about it', 'Refreshes ETAs every 90 seconds', fact, setFact)}
      {error && <Problem error={error} />}
      <Button type="submit" isDisabled={name.trim() === '' || type.trim() === ''}>
        Add the entity
      </Button>
    </form>
  );
}
