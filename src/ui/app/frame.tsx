/** Bar, strip of the past, view and status: the frame never scrolls, panes do. */
import { useEffect, useState } from 'preact/hooks';
import { Home } from '../home/home.tsx';
import { useToaster } from '../kit/toasts.tsx';
import { Bar } from './bar.tsx';
import { BottomBar } from './bottom-bar.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import { useKeys } from './keys.ts';
import { PastStrip } from './past-strip.tsx';
import { HOME, useRouter, type View } from './router.ts';
import { StatusBar } from './status-bar.tsx';
import { ThreadView } from './thread-view.tsx';
import { VIEW_TITLES } from './view-titles.ts';

const GO: Readonly<Record<string, View>> = {
  'g a': 'ask',
  'g g': 'graph',
  'g h': 'history',
  'g s': 'sessions',
  'g o': 'overview',
  'g f': 'files',
};

export function Frame() {
  const { place, go } = useRouter();
  const toaster = useToaster();
  const [showsKeys, setShowsKeys] = useState(false);
  const { threadId, view, at } = place;
  useEffect(() => {
    document.title =
      threadId === undefined ? 'Threads · Skein' : `${VIEW_TITLES[view]} · ${threadId} · Skein`;
  }, [threadId, view]);
  const inThread = (change: () => void) => () => (threadId === undefined ? false : change());
  useKeys({
    '?': () => setShowsKeys(true),
    u: () => toaster.runLast(),
    '/': () => focusSearch() || (threadId === undefined ? false : go({ view: 'ask' })),
    t: inThread(() => go(at === undefined ? { view: 'history' } : { at: undefined })),
    'g t': () => go({ ...HOME, threadId: undefined }),
    ...Object.fromEntries(
      Object.entries(GO).map(([key, to]) => [
        key,
        inThread(() => go({ view: to, open: undefined })),
      ]),
    ),
    Escape: () => (at === undefined ? false : go({ at: undefined })),
  });
  const isPast = threadId !== undefined && at !== undefined;
  return (
    <div class="frame" data-past={isPast ? '' : undefined} data-thread={threadId}>
      <a class="skip" href="#view">
        Skip to the view
      </a>
      <Bar />
      {isPast && <PastStrip threadId={threadId} at={at} />}
      <main id="view" tabIndex={-1}>
        {threadId === undefined ? <Home /> : <ThreadView key={threadId} threadId={threadId} />}
      </main>
      <StatusBar onKeys={() => setShowsKeys(true)} />
      {threadId !== undefined && <BottomBar />}
      {showsKeys && <KeysDialog onClose={() => setShowsKeys(false)} />}
    </div>
  );
}

/** Whether there is a field to search in. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  field?.focus();
  return field !== null;
}
