import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Problem } from '../kit/problem.tsx';

export interface WriteDialogProps {
  readonly title: string;
  /** What the button does. */
  readonly verb: string;
  readonly isReady: boolean;
  readonly onClose: () => void;
  /** The dialog closes after it; what it throws is shown in the dialog, which stays open. */
  readonly onWrite: () => Promise<void>;
  readonly children: ComponentChildren;
}

/** A change that says what it will do before it is made. */
export function WriteDialog(props: WriteDialogProps) {
  const { title, verb, isReady, onClose, onWrite, children } = props;
  const [state, setState] = useState<'idle' | 'saving' | Error>('idle');
  const run = async () => {
    setState('saving');
    try {
      await onWrite();
      onClose();
    } catch (error) {
      setState(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const isSaving = state === 'saving';
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => isReady && !isSaving && void run()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isDisabled={!isReady || isSaving}>
            {isSaving ? 'Saving…' : verb}
          </Button>
        </>
      }
    >
      {children}
      {state instanceof Error && <Problem error={state} />}
    </Dialog>
  );
}
