import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';

const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'Search'],
  ['?', 'These keys'],
  ['U', 'Undo the last change of this page'],
  ['T', 'The past, and back to now'],
  ['Esc', 'Back'],
  ['G then T', 'All threads'],
  ['G then G', 'Graph'],
  ['G then A', 'Search and ask'],
  ['G then H', 'History'],
  ['G then S', 'Sessions'],
  ['G then O', 'Overview'],
  ['G then F', 'Files'],
  ['1, 2, 3', 'Graph, list, table'],
  ['Arrows', 'Walk along relations in the graph'],
  ['0, +, −', 'Fit, zoom in, zoom out'],
  ['E, F, P', 'Expand, focus, path'],
  ['I, H', 'Pin, hide'],
  ['J, K', 'Next and previous fact or revision'],
  ['C, A, V', 'Correct, add, versions'],
];

export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog
      isWide
      title="Keys"
      onClose={onClose}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <dl class="keys">
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>{does}</dt>
            <dd>
              <kbd>{key}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
