/** Nodes with their similarity, as many as an answer has room for. */
import { z } from 'zod';
import { READ_CHARS_DEFAULT } from '#limits.ts';
import type { FoundNode } from '#memory/similarity.ts';
import { nodeShape, toNode } from './shapes.ts';

export const foundNodeShape = nodeShape.extend({
  similarity: z.number().describe('0 to 1; 1 is the same.'),
});

export type FoundNodeOutput = z.infer<typeof foundNodeShape>;

export function toFoundNode(
  { node, similarity: found }: FoundNode,
  owner: string,
): FoundNodeOutput {
  // A rounded vector may be a little longer than 1.
  return { ...toNode(node, owner), similarity: Math.min(1, Math.round(found * 1000) / 1000) };
}

/** The first nodes, as many as fit, and at least one: a fact may be a long text. */
export function fitNodes<Node>(
  nodes: readonly Node[],
  charsMax: number = READ_CHARS_DEFAULT,
): { readonly shown: readonly Node[]; readonly cut: string | false } {
  let chars = 0;
  const shown = nodes.filter((node, index) => {
    chars += JSON.stringify(node).length;
    return index === 0 || chars <= charsMax;
  });
  const left = nodes.length - shown.length;
  return {
    shown,
    cut: left > 0 && `${left} more nodes would make this too long: lower the limit.`,
  };
}
