import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { ConnectLines } from './connect-lines.tsx';

interface ConnectDialogProps {
  readonly onClose: () => void;
  readonly threadId?: string;
}

export function ConnectDialog({ onClose, threadId }: ConnectDialogProps) {
  return (
    <Dialog
      isWide
      title="Connect a client"
      onClose={onClose}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <p class="ink2">
        {threadId === undefined
          ? "Add a thread's name to the address to give a client one memory only."
          : 'With this address a client has this memory only.'}
      </p>
      <ConnectLines threadId={threadId} />
      <p class="note">
        API tokens and connected clients are in the <a href="/settings">settings</a>.
      </p>
    </Dialog>
  );
}
