/** The colour of each entity type: given by frequency once, and kept for good in this browser. */
import { useMemo } from 'preact/hooks';
import { readKept, keep } from './kept.ts';
import { useTypes } from './thread.ts';
import { assignColours } from './type-colours-order.ts';

/** From 1; 0 for the ninth type and later, which share grey. */
export type ColourOf = (entityType: string) => number;

export function useTypeColours(threadId: string): ColourOf {
  const { value: types } = useTypes(threadId);
  return useMemo(() => {
    const name = `types:${threadId}`;
    const kept = readKept<string[]>(name) ?? [];
    const colours = assignColours(
      kept,
      (types ?? []).map(({ type }) => type),
    );
    if (colours.length !== kept.length) keep(name, colours);
    return (type) => colours.indexOf(type) + 1;
  }, [threadId, types]);
}
