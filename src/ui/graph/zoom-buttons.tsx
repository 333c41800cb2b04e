import type { RefObject } from 'preact';
import { Icon } from '../kit/icon.tsx';
import type { CanvasHandle } from './graph-canvas.tsx';

export function ZoomButtons({ canvas }: { readonly canvas: RefObject<CanvasHandle | null> }) {
  return (
    <div class="zoom">
      <button
        type="button"
        aria-label="Zoom in"
        title="Zoom in (+)"
        onClick={() => canvas.current?.zoom(1.5)}
      >
        <Icon name="plus" />
      </button>
      <button
        type="button"
        aria-label="Zoom out"
        title="Zoom out (−)"
        onClick={() => canvas.current?.zoom(1 / 1.5)}
      >
        <Icon name="minus" />
      </button>
      <button
        type="button"
        aria-label="Show all"
        title="Show all (0)"
        onClick={() => canvas.current?.fit()}
      >
        <Icon name="fit" />
      </button>
    </div>
  );
}
