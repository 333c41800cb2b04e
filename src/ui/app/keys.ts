/** Keys that act anywhere on the page, but never inside a field. */
import { useEffect, useRef } from 'preact/hooks';

/** By the key as `KeyboardEvent.key` names it, in lower case for letters. A handler that gives false has not acted. */
export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => void | boolean>>;

/** A key of one view comes before the same key of the frame: what was added last is asked first. */
const LAYERS: { current: KeyMap }[] = [];

export function useKeys(map: KeyMap): void {
  const layer = useRef(map);
  layer.current = map;
  useEffect(() => {
    LAYERS.push(layer);
    return () => void LAYERS.splice(LAYERS.indexOf(layer), 1);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest('input:not([type=range]), textarea, select, dialog') !== null)
  );
}

/** The sequence `g` and a letter is given as `g a`. */
export function listenForKeys(): () => void {
  let before = '';
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.altKey || event.isComposing) return;
    const isCommand = event.ctrlKey || event.metaKey;
    if (isTyping(event.target) && event.key !== 'Escape') return;
    const letter = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const key = isCommand ? `ctrl ${letter}` : before === 'g' ? `g ${letter}` : letter;
    before = before === '' && key === 'g' ? 'g' : '';
    for (const { current } of LAYERS.toReversed()) {
      const handler = current[key];
      if (handler === undefined || handler(event) === false) continue;
      event.preventDefault();
      return;
    }
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}
