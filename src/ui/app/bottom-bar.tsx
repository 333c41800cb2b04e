import { Icon } from '../kit/icon.tsx';
import { Link } from './link.tsx';
import { useRouter, VIEWS } from './router.ts';
import { VIEW_ICONS, VIEW_TITLES } from './view-titles.ts';

/** The views on a phone. */
export function BottomBar() {
  const { place } = useRouter();
  return (
    <nav class="bottom" aria-label="Views">
      {VIEWS.map((view) => (
        <Link
          key={view}
          to={{ view, open: undefined }}
          aria-current={view === place.view ? 'page' : undefined}
        >
          <Icon name={VIEW_ICONS[view]} />
          {view === 'ask' ? 'Ask' : VIEW_TITLES[view]}
        </Link>
      ))}
    </nav>
  );
}
