import { useEffect, useImperativeHandle, useRef, useState } from 'preact/hooks';
import type { Ref } from 'preact';
import { countOf } from '../text/numbers.ts';
import { GraphScene, type SceneCallbacks, type SceneInput } from './graph-scene.ts';
import { useGraphKeys } from './graph-keys.ts';

/** What the buttons beside the canvas ask of it. */
export interface CanvasHandle {
  readonly fit: () => void;
  readonly zoom: (factor: number) => void;
}

interface GraphCanvasProps extends SceneInput, SceneCallbacks {
  readonly handle: Ref<CanvasHandle>;
  /** The card that Enter leads to. */
  readonly onOpen: () => void;
}

/** The drawn graph. One stop of the tab key: arrows walk along relations, and each step is said aloud. */
export function GraphCanvas(props: GraphCanvasProps) {
  const box = useRef<HTMLDivElement>(null);
  const scene = useRef<GraphScene | undefined>(undefined);
  const [said, say] = useState('');
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    if (box.current === null) return;
    const made = new GraphScene(box.current, props.threadId, {
      onSelect: (name) => latest.current.onSelect(name),
      onPin: (name) => latest.current.onPin(name),
    });
    scene.current = made;
    const onTheme = () => made.readTheme();
    addEventListener('skein-theme', onTheme);
    return () => {
      removeEventListener('skein-theme', onTheme);
      made.destroy();
      scene.current = undefined;
    };
  }, [props.threadId]);
  useEffect(
    () => scene.current?.show(props),
    [props.graph, props.selected, props.path, props.pinned, props.colourOf],
  );
  useImperativeHandle(
    props.handle,
    () => ({ fit: () => scene.current?.fit(), zoom: (factor) => scene.current?.zoom(factor) }),
    [],
  );
  const onKeyDown = useGraphKeys(props, scene, say);
  const { graph, selected } = props;
  const about = selected === undefined ? '' : `, ${selected} selected`;
  return (
    <>
      <div
        ref={box}
        class="g"
        tabIndex={0}
        role="application"
        aria-label={`Graph of ${countOf(graph.entities.length, 'entity', 'entities')}${about}`}
        onKeyDown={onKeyDown}
      />
      <span class="sr" role="status">
        {said}
      </span>
    </>
  );
}
