import { useContext, useState } from 'preact/hooks';
import { callTool } from '../data/api.ts';
import { useSession } from '../data/session.ts';
import { CacheContext } from '../data/use-query.ts';
import { refresh } from '../data/writes.ts';
import { Button } from '../kit/button.tsx';
import { Problem } from '../kit/problem.tsx';

/** Makes the summaries of sessions that have none yet, and says how many are left. */
export function SummariseButton({ threadId }: { readonly threadId: string }) {
  const { rights } = useSession();
  const cache = useContext(CacheContext);
  const [said, setSaid] = useState<string>();
  const [error, setError] = useState<Error>();
  const [isRunning, setRunning] = useState(false);
  if (!rights.write) return null;
  const run = async () => {
    setRunning(true);
    setError(undefined);
    try {
      const { message } = await callTool(threadId, 'summarize_sessions', {});
      setSaid(message);
      refresh(cache, threadId);
    } catch (fault) {
      setError(fault instanceof Error ? fault : new Error(String(fault)));
    } finally {
      setRunning(false);
    }
  };
  return (
    <div class="empty">
      <Button isSmall isDisabled={isRunning} onClick={() => void run()}>
        {isRunning ? 'Summarising…' : 'Summarise new sessions'}
      </Button>
      {said && (
        <p class="note" role="status">
          {said}
        </p>
      )}
      {error && <Problem error={error} />}
    </div>
  );
}
