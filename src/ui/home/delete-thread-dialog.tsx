import { useContext, useState } from 'preact/hooks';
import type { ListedThread } from '#http/wire.ts';
import { callTool } from '../data/api.ts';
import { useFiles } from '../data/threads.ts';
import { CacheContext } from '../data/use-query.ts';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Problem } from '../kit/problem.tsx';
import { useToaster } from '../kit/toasts.tsx';
import { countOf } from '../text/numbers.ts';
import { formatMoment } from '../text/time.ts';

interface DeleteThreadDialogProps {
  readonly thread: ListedThread;
  readonly onClose: () => void;
}

/** The one deletion that no undo takes back: it says what goes, and what a backup can bring back. */
export function DeleteThreadDialog({ thread, onClose }: DeleteThreadDialogProps) {
  const { threadId, entities, observations, relations } = thread;
  const { isRunning, error, run } = useDeletion(threadId, onClose);
  const { value: files } = useFiles(threadId);
  const [typed, setTyped] = useState('');
  const backup = files?.find(({ file }) => file.startsWith('backup-'));
  return (
    <Dialog
      title="Delete this thread?"
      onClose={onClose}
      onSubmit={() => typed === threadId && void run()}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button look="danger-filled" type="submit" isDisabled={typed !== threadId || isRunning}>
            {isRunning ? 'Deleting…' : 'Delete the thread'}
          </Button>
        </>
      }
    >
      <p>
        <strong>{threadId}</strong> goes with {countOf(entities, 'entity', 'entities')},{' '}
        {countOf(observations, 'fact')}, {countOf(relations, 'relation')}, its sessions, its history
        and the memories of its owners. It cannot be undone.
      </p>
      {files !== undefined && (
        <p class="ink2">
          {backup === undefined
            ? 'There is no backup of it. Export it first if you may want it back.'
            : `The backup of ${formatMoment(backup.writtenAt)} stays for a time, and can be imported again.`}
        </p>
      )}
      <label class="label">
        Type the thread's name to delete it
        <input
          class="in"
          autoComplete="off"
          placeholder={threadId}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      {error && <Problem error={error} />}
    </Dialog>
  );
}

function useDeletion(threadId: string, onDone: () => void) {
  const cache = useContext(CacheContext);
  const toaster = useToaster();
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<Error>();
  const run = async () => {
    setRunning(true);
    setError(undefined);
    try {
      let answer;
      do {
        // oxlint-disable-next-line no-await-in-loop -- A thread with many owners goes in several calls.
        answer = await callTool(threadId, 'delete_thread', { confirm: threadId });
      } while (!answer.deleted);
      const { backup } = answer;
      toaster.show({
        text: `${threadId} is deleted.`,
        ...(backup && {
          detail: `Its backup ${backup.file} stays until ${formatMoment(backup.keptUntil)}.`,
        }),
      });
      cache.patch<readonly ListedThread[]>(['threads', 'list'], (all) =>
        all.filter((one) => one.threadId !== threadId),
      );
      cache.invalidate([threadId]);
      onDone();
    } catch (fault) {
      setError(fault instanceof Error ? fault : new Error(String(fault)));
      setRunning(false);
    }
  };
  return { isRunning, error, run };
}
