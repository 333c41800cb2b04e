import { useContext, useRef, useState } from 'preact/hooks';
import { ApiError } from '../data/api.ts';
import { readImported, runImport, type Imported } from '../data/import-file.ts';
import { useSession } from '../data/session.ts';
import { CacheContext } from '../data/use-query.ts';
import { refresh, useWrites } from '../data/writes.ts';
import { Button } from '../kit/button.tsx';
import { Problem } from '../kit/problem.tsx';
import { useToaster } from '../kit/toasts.tsx';
import { previewImport, type ImportPreview } from '../text/import-preview.ts';
import { formatBytes, formatCount } from '../text/numbers.ts';
import { DropZone } from './drop-zone.tsx';
import { FaultList } from './fault-list.tsx';
import { PreviewCounts } from './preview-counts.tsx';

interface ChosenFile {
  readonly file: File;
  readonly preview: ImportPreview;
}

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'reading' }
  | { readonly kind: 'sending'; readonly lines: number }
  | { readonly kind: 'failed'; readonly error: Error };

/** A file is read here first; nothing is written before the button is pressed. */
export function ImportBox({ threadId }: { readonly threadId: string }) {
  const [chosen, setChosen] = useState<ChosenFile>();
  const { state, choose, send, cancel } = useImport(threadId, chosen, setChosen);
  const isSending = state.kind === 'sending';
  return (
    <section class="box">
      <div class="box-h">
        <h2>Import</h2>{' '}
        <span class="mut">adds to this thread what the file has and it has not</span>
      </div>
      <div class="box-b form">
        <DropZone onFile={(file) => void choose(file)} isDisabled={isSending} />
        {state.kind === 'reading' && <p class="note">Reading the file…</p>}
        {chosen && (
          <>
            <p>
              <span class="med">{chosen.file.name}</span>{' '}
              <span class="mut">
                {formatBytes(chosen.file.size)}, {formatCount(chosen.preview.lines)} lines
              </span>
            </p>
            <PreviewCounts preview={chosen.preview} />
            <FaultList faults={chosen.preview.faults} total={chosen.preview.faultCount} />
          </>
        )}
        {isSending && chosen && <Progress lines={state.lines} of={chosen.preview.lines} />}
        {state.kind === 'failed' && <Problem error={state.error} />}
        {state.kind === 'failed' && state.error instanceof ApiError && (
          <FaultList
            faults={state.error.faults.map(({ line, problem, suggestion }) => ({
              line,
              problem,
              suggestion,
            }))}
            total={state.error.faults.length}
          />
        )}
        {chosen && (
          <div class="row wrap">
            <Button look="primary" isDisabled={isSending} onClick={() => void send(false)}>
              {isSending ? 'Importing…' : 'Import it'}
            </Button>
            {chosen.preview.faultCount > 0 && (
              <Button isDisabled={isSending} onClick={() => void send(true)}>
                Import what fits
              </Button>
            )}
            <Button onClick={cancel}>Cancel</Button>
          </div>
        )}
      </div>
    </section>
  );
}

function Progress({ lines, of }: { readonly lines: number; readonly of: number }) {
  return (
    <div
      class="prog"
      role="progressbar"
      aria-label="Import"
      aria-valuemin={0}
      aria-valuemax={of}
      aria-valuenow={lines}
    >
      <i style={{ width: `${of === 0 ? 0 : Math.min(100, (lines / of) * 100)}%` }} />
    </div>
  );
}

function useImport(
  threadId: string,
  chosen: ChosenFile | undefined,
  setChosen: (chosen: ChosenFile | undefined) => void,
) {
  const cache = useContext(CacheContext);
  const { actor } = useSession();
  const { undo } = useWrites(threadId);
  const toaster = useToaster();
  const [state, setState] = useState<State>({ kind: 'idle' });
  const running = useRef<AbortController | undefined>(undefined);
  const fail = (error: unknown) =>
    setState({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
  const choose = async (file: File) => {
    setState({ kind: 'reading' });
    try {
      const [text, known] = await Promise.all([file.text(), readImported(threadId)]);
      setChosen({ file, preview: previewImport(text, known) });
      setState({ kind: 'idle' });
    } catch (error) {
      fail(error);
    }
  };
  const say = ({ added, updated, revision }: Imported) => {
    const parts = Object.values(added).reduce((sum, count) => sum + count, 0);
    toaster.show({
      text: `${formatCount(parts)} added, ${formatCount(updated)} changed.`,
      ...(revision !== undefined && {
        action: { label: 'Undo', run: () => void undo(revision).catch(fail) },
      }),
    });
  };
  const send = async (skip: boolean) => {
    if (chosen === undefined) return;
    running.current = new AbortController();
    setState({ kind: 'sending', lines: 0 });
    try {
      const imported = await runImport(threadId, chosen.file, {
        skip,
        actor,
        signal: running.current.signal,
        onProgress: (lines) => setState({ kind: 'sending', lines }),
      });
      say(imported);
      setChosen(undefined);
      setState({ kind: 'idle' });
      refresh(cache, threadId);
    } catch (error) {
      if (!running.current.signal.aborted) fail(error);
    }
  };
  const cancel = () => {
    running.current?.abort();
    setChosen(undefined);
    setState({ kind: 'idle' });
  };
  return { state, choose, send, cancel };
}
