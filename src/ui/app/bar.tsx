import { useSession } from '../data/session.ts';
import { Icon } from '../kit/icon.tsx';
import { Stored } from '../kit/text.tsx';
import { Link } from './link.tsx';
import { PastButton } from './past-button.tsx';
import { HOME, useRouter, VIEWS } from './router.ts';
import { ThemeButton } from './theme-button.tsx';
import { VIEW_TITLES } from './view-titles.ts';

/** Where one is, and where one can go. */
export function Bar() {
  const { place } = useRouter();
  const { threadId, view } = place;
  const { rights } = useSession();
  return (
    <header class="top">
      <Link class="brand" to={{ ...HOME, threadId: undefined }} aria-label="Skein, all threads">
        <Icon name="skein" />
        <span class="hide-s">Skein</span>
      </Link>
      <span class="mut hide-s">/</span>
      {threadId === undefined ? (
        <span class="med where">Threads</span>
      ) : (
        <>
          <span class="crumb" title={threadId}>
            <Stored text={threadId} class="ell" />
          </span>
          <nav class="tabs" aria-label="Views of this thread">
            {VIEWS.map((one) => (
              <Link
                key={one}
                to={{ view: one, open: undefined }}
                aria-current={one === view ? 'page' : undefined}
              >
                {VIEW_TITLES[one]}
              </Link>
            ))}
          </nav>
        </>
      )}
      <span class="sp" />
      {!rights.write && (
        <span class="chip lock" title="Your token reads only.">
          <Icon name="lock" /> Read only
        </span>
      )}
      {threadId !== undefined && <PastButton threadId={threadId} />}
      {threadId !== undefined && (
        <Link class="sbtn" to={{ view: 'ask' }} aria-label="Search this thread">
          <Icon name="ask" />
          <span>Search</span>
          <kbd>/</kbd>
        </Link>
      )}
      <ThemeButton />
      <a class="b icon quiet" href="/settings" aria-label="Settings" title="Settings">
        <Icon name="settings" />
      </a>
    </header>
  );
}
