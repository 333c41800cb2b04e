import type { View } from './router.ts';
import type { IconName } from '../kit/icon-paths.ts';

export const VIEW_TITLES: Readonly<Record<View, string>> = {
  graph: 'Graph',
  ask: 'Search & Ask',
  history: 'History',
  sessions: 'Sessions',
  overview: 'Overview',
  files: 'Files',
};

export const VIEW_ICONS: Readonly<Record<View, IconName>> = {
  graph: 'graph',
  ask: 'ask',
  history: 'history',
  sessions: 'sessions',
  overview: 'overview',
  files: 'files',
};
