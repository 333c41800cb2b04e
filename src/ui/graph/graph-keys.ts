/** The keyboard on the canvas: arrows walk along relations, Enter opens the card. */
import type { RefObject } from 'preact';
import type { GraphScene, SceneCallbacks, SceneInput } from './graph-scene.ts';
import { nearestInDirection, type Direction } from './nearest-in-direction.ts';
import { neighboursOf } from './visible-graph.ts';

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

export function useGraphKeys(
  {
    graph,
    selected,
    onSelect,
    onOpen,
  }: SceneInput & SceneCallbacks & { readonly onOpen: () => void },
  scene: RefObject<GraphScene | undefined>,
  say: (text: string) => void,
) {
  const select = (name: string) => {
    onSelect(name);
    const entity = graph.entities.find((one) => one.name === name);
    const count = neighboursOf(name, graph.relations).size - 1;
    say(`${name}, ${entity?.entityType ?? ''}, ${count} neighbours`);
  };
  return (event: KeyboardEvent) => {
    const direction = DIRECTIONS[event.key];
    if (event.key === 'Enter') onOpen();
    else if (direction === undefined) return;
    else if (selected === undefined) {
      const [first] = graph.entities;
      if (first) select(first.name);
    } else {
      const names = [...neighboursOf(selected, graph.relations)].filter(
        (name) => name !== selected,
      );
      const next = nearestInDirection(
        scene.current?.positionOf(selected),
        names.flatMap((name) => {
          const at = scene.current?.positionOf(name);
          return at === undefined ? [] : [{ name, ...at }];
        }),
        direction,
      );
      if (next !== undefined) select(next);
    }
    event.preventDefault();
  };
}
