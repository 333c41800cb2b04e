import { useMemo, useRef, useState } from 'preact/hooks';
import { useKeys } from '../app/keys.ts';
import { useRouter } from '../app/router.ts';
import { EntityCard } from '../card/entity-card.tsx';
import { ENTITIES_MAX, useGraph } from '../data/graph.ts';
import type { GraphData } from '../data/graph-data.ts';
import { useTypeColours } from '../data/type-colours.ts';
import { Loading } from '../kit/loading.tsx';
import { Problem } from '../kit/problem.tsx';
import { CanvasBar, type GraphMode } from './canvas-bar.tsx';
import { EmptyThread } from './empty-thread.tsx';
import { GraphCanvas, type CanvasHandle } from './graph-canvas.tsx';
import { GraphList } from './graph-list.tsx';
import { GraphTable } from './graph-table.tsx';
import { PathBar } from './path-bar.tsx';
import { Side } from './side.tsx';
import { useGraphState } from './use-graph-state.ts';
import { showGraph } from './visible-graph.ts';
import { ZoomButtons } from './zoom-buttons.tsx';

/** The graph with its filters, and the card of what is selected. */
export function GraphView({ threadId }: { readonly threadId: string }) {
  const { place } = useRouter();
  const { value: data, error, retry } = useGraph(threadId, place.at);
  if (data === undefined) {
    return error ? <Problem error={error} retry={retry} /> : <Loading rows={8} />;
  }
  if (data.entities.length === 0) return <EmptyThread threadId={threadId} at={place.at} />;
  return <FullGraph threadId={threadId} data={data} />;
}

function FullGraph({ threadId, data }: { readonly threadId: string; readonly data: GraphData }) {
  const { place, go } = useRouter();
  const { entity: selected, at } = place;
  const colourOf = useTypeColours(threadId);
  const [mode, setMode] = useState<GraphMode>('graph');
  const canvas = useRef<CanvasHandle | null>(null);
  const state = useGraphState(threadId, data, selected);
  const { filters, setFilters, path, pinned } = state;
  const graph = useMemo(() => showGraph(data, filters, ENTITIES_MAX), [data, filters]);
  const select = (name: string | undefined) => {
    if (name !== undefined && state.pickEnd(name)) return;
    go({ entity: name, open: undefined });
  };
  useKeys({
    '1': () => setMode('graph'),
    '2': () => setMode('list'),
    '3': () => setMode('table'),
    '0': () => canvas.current?.fit(),
    '+': () => canvas.current?.zoom(1.5),
    '-': () => canvas.current?.zoom(1 / 1.5),
    e: () => (selected === undefined ? false : state.expand()),
    f: () => (selected === undefined ? false : state.focus()),
    p: () => (selected === undefined ? false : state.startPath()),
    i: () => (selected === undefined ? false : state.togglePin(selected)),
    h: () => (selected === undefined ? false : state.hide(() => select(undefined))),
    Escape: () => {
      if (path !== undefined) state.endPath();
      else if (selected !== undefined) select(undefined);
      else return false;
    },
  });
  const openCard = () => document.querySelector<HTMLElement>('.card')?.focus();
  return (
    <section class="graph" aria-label="Graph" data-card={selected === undefined ? undefined : ''}>
      <Side {...{ data, graph, filters, setFilters, colourOf }} />
      <div class={mode === 'graph' ? 'canvas' : 'canvas tab'}>
        <CanvasBar {...{ mode, setMode, state, selected }} onHidden={() => select(undefined)} />
        {mode === 'graph' && (
          <>
            <GraphCanvas
              {...{ threadId, graph, selected, colourOf, pinned }}
              handle={canvas}
              path={path?.names ?? []}
              onSelect={select}
              onPin={state.pin}
              onOpen={openCard}
            />
            <ZoomButtons canvas={canvas} />
          </>
        )}
        {mode === 'list' && <GraphList {...{ graph, selected, colourOf }} onSelect={select} />}
        {mode === 'table' && <GraphTable {...{ graph, selected, colourOf }} onSelect={select} />}
        {path && <PathBar path={path} onClose={state.endPath} />}
      </div>
      {selected !== undefined && (
        <EntityCard
          key={`${selected} ${at ?? ''}`}
          {...{ threadId, at, colourOf }}
          name={selected}
          marked={place.open}
          onClose={() => select(undefined)}
          onRenamed={(name) => go({ entity: name }, 'replace')}
        />
      )}
    </section>
  );
}
