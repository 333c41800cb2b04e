/** The address of a view: `/`, or `/t/<thread>/<view>` with what is selected and which moment is shown. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

export const VIEWS = ['graph', 'ask', 'history', 'sessions', 'overview', 'files'] as const;

export type View = (typeof VIEWS)[number];

export interface Place {
  /** Undefined for the list of threads. */
  readonly threadId?: string | undefined;
  readonly view: View;
  /** Name of the selected entity. */
  readonly entity?: string | undefined;
  /** A revision or a time of the past; undefined for now. */
  readonly at?: string | undefined;
  /** What was searched or asked for. */
  readonly query?: string | undefined;
  /** The revision, session or other thing that the view has open. */
  readonly open?: string | undefined;
}

export const HOME: Place = { view: 'graph' };

/** An address that names no known view shows the graph of its thread. */
export function readPlace(url: URL): Place {
  const [, prefix, thread, name] = url.pathname.split('/');
  if (prefix !== 't' || !thread) return HOME;
  const get = (key: string) => url.searchParams.get(key) ?? undefined;
  return {
    threadId: decode(thread),
    view: VIEWS.find((view) => view === name) ?? 'graph',
    entity: get('entity'),
    at: get('at'),
    query: get('q'),
    open: get('open'),
  };
}

export function placePath(place: Place): string {
  if (place.threadId === undefined) return '/';
  const query = new URLSearchParams();
  const set = (key: string, value: string | undefined) => {
    if (value !== undefined && value !== '') query.set(key, value);
  };
  set('q', place.query);
  set('entity', place.entity);
  set('open', place.open);
  set('at', place.at);
  const path = `/t/${encodeURIComponent(place.threadId)}/${place.view}`;
  return query.size === 0 ? path : `${path}?${query}`;
}

export interface Router {
  readonly place: Place;
  /** Changes some of the place; `replace` adds no step to go back to. */
  readonly go: (change: Partial<Place>, how?: 'push' | 'replace') => void;
}

export const RouterContext = createContext<Router>({ place: HOME, go: () => {} });

export function useRouter(): Router {
  return useContext(RouterContext);
}

/** A part of an address that is not a valid encoding is taken as it is. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
