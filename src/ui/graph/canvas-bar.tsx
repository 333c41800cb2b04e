import { Button } from '../kit/button.tsx';
import { Icon } from '../kit/icon.tsx';
import type { IconName } from '../kit/icon-paths.ts';
import type { GraphState } from './use-graph-state.ts';

export type GraphMode = 'graph' | 'list' | 'table';

interface CanvasBarProps {
  readonly mode: GraphMode;
  readonly setMode: (mode: GraphMode) => void;
  readonly state: GraphState;
  readonly selected: string | undefined;
  readonly onHidden: () => void;
}

const MODES: readonly (readonly [GraphMode, string, IconName])[] = [
  ['graph', 'Graph', 'graph'],
  ['list', 'List', 'list'],
  ['table', 'Table', 'table'],
];

/** How the graph is shown, and what can be done with the selected node. */
export function CanvasBar({ mode, setMode, state, selected, onHidden }: CanvasBarProps) {
  const { filters } = state;
  return (
    <div class="cbar">
      <div class="seg" role="group" aria-label="Shown as">
        {MODES.map(([one, title, icon]) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === mode}
            aria-label={title}
            onClick={() => setMode(one)}
          >
            <Icon name={icon} />
            <span class="hide-s">{title}</span>
          </button>
        ))}
      </div>
      <span class="sp" />
      {filters.focus !== undefined && selected === undefined && (
        <Button icon="focus" onClick={state.focus}>
          Show all again
        </Button>
      )}
      {selected !== undefined && mode === 'graph' && (
        <NodeActions {...{ state, selected, onHidden }} />
      )}
    </div>
  );
}

interface NodeActionsProps extends Pick<CanvasBarProps, 'state' | 'onHidden'> {
  readonly selected: string;
}

function NodeActions({ state, selected, onHidden }: NodeActionsProps) {
  const { filters, path, pinned } = state;
  return (
    <div class="seg acts-seg" role="group" aria-label={`What to do with ${selected}`}>
      {filters.focus !== undefined && (
        <button type="button" title="Show its neighbours too (E)" onClick={state.expand}>
          <Icon name="expand" />
          <span class="hide-s">Expand</span>
        </button>
      )}
      <button
        type="button"
        title="Show it and its neighbours alone (F)"
        aria-pressed={filters.focus !== undefined}
        onClick={state.focus}
      >
        <Icon name="focus" />
        <span class="hide-s">Focus</span>
      </button>
      <button
        type="button"
        title="The shortest way to another entity (P)"
        aria-pressed={path !== undefined}
        onClick={state.startPath}
      >
        <Icon name="path" />
        <span class="hide-s">Path</span>
      </button>
      <button
        type="button"
        title="Pin (I)"
        aria-label="Pin"
        aria-pressed={pinned.has(selected)}
        onClick={() => state.togglePin(selected)}
      >
        <Icon name="pin" />
      </button>
      <button type="button" title="Hide (H)" aria-label="Hide" onClick={() => state.hide(onHidden)}>
        <Icon name="hide" />
      </button>
    </div>
  );
}
