import type { ComponentType } from 'preact';
import { Ask } from '../ask/ask.tsx';
import { History } from '../history/history.tsx';
import { Sessions } from '../sessions/sessions.tsx';
import { Files } from '../files/files.tsx';
import { lazy } from './lazy.tsx';
import { useRouter, type View } from './router.ts';

export interface ViewProps {
  readonly threadId: string;
}

const COMPONENTS: Readonly<Record<View, ComponentType<ViewProps>>> = {
  graph: lazy(async () => (await import('../graph/graph-view.tsx')).GraphView),
  ask: Ask,
  history: History,
  sessions: Sessions,
  overview: lazy(async () => (await import('../overview/overview.tsx')).Overview),
  files: Files,
};

export function ThreadView({ threadId }: ViewProps) {
  const { place } = useRouter();
  const Component = COMPONENTS[place.view];
  return <Component threadId={threadId} />;
}
