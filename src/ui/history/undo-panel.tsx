import { useState } from 'preact/hooks';
import { ApiError } from '../data/api.ts';
import { useSession } from '../data/session.ts';
import { useWrites } from '../data/writes.ts';
import { Button } from '../kit/button.tsx';
import { Problem } from '../kit/problem.tsx';

interface UndoPanelProps {
  readonly threadId: string;
  readonly revision: number;
}

/** Takes a revision back. Where something was built on it, the server names it before anything goes. */
export function UndoPanel({ threadId, revision }: UndoPanelProps) {
  const { rights } = useSession();
  const { undo } = useWrites(threadId);
  const [state, setState] = useState<'idle' | 'running' | Error>('idle');
  if (!rights.remove) return null;
  const run = async (cascade: boolean) => {
    setState('running');
    try {
      await undo(revision, cascade);
      setState('idle');
    } catch (error) {
      setState(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const isInTheWay = state instanceof ApiError && state.code === 'conflict';
  return (
    <div class="undo">
      <div class="row">
        <h2 class="sp">Undo revision {revision}</h2>
        <span class="note">it becomes a revision too, which can be undone</span>
      </div>
      {state === 'idle' && (
        <p class="ink2">
          Each row above goes back to what stands before. What others wrote since stays.
        </p>
      )}
      {state instanceof Error && <Problem error={state} />}
      <div class="row wrap">
        <Button icon="undo" isDisabled={state === 'running'} onClick={() => void run(false)}>
          {state === 'running' ? 'Undoing…' : `Undo ${revision}`}
        </Button>
        {isInTheWay && (
          <Button look="danger" onClick={() => void run(true)}>
            Undo it with all that was built on it
          </Button>
        )}
      </div>
    </div>
  );
}
