import { useState } from 'preact/hooks';
import type { ListedThread } from '#http/wire.ts';
import { useRouter } from '../app/router.ts';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { nameFault } from '../text/thread-name.ts';

interface NewThreadDialogProps {
  readonly threads: readonly ListedThread[];
  readonly onClose: () => void;
}

/** A thread begins with its first fact, so this names one and leads there. */
export function NewThreadDialog({ threads, onClose }: NewThreadDialogProps) {
  const { go } = useRouter();
  const [name, setName] = useState('');
  const [wasSent, setSent] = useState(false);
  const isKnown = threads.some(({ threadId }) => threadId === name);
  const fault =
    nameFault(name) ?? (isKnown ? 'There is a thread of this name already.' : undefined);
  const submit = () => {
    setSent(true);
    if (fault === undefined) go({ threadId: name, view: 'graph' });
  };
  return (
    <Dialog
      title="New thread"
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit">
            Open it
          </Button>
        </>
      }
    >
      <label class="label">
        Name
        <input
          class="in"
          autoFocus
          placeholder="my-project"
          value={name}
          aria-invalid={wasSent && fault !== undefined}
          onInput={(event) => setName(event.currentTarget.value.trim())}
        />
      </label>
      {wasSent && fault && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      <p class="note">
        A thread is a memory of its own. It begins with its first fact, which an agent or you save.
      </p>
    </Dialog>
  );
}
