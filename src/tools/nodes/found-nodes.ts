/** Nodes with their similarity, as many as an answer has room for. */
import * as z from 'zod';
import { formatId } from '#graph/ids.ts';
import { READ_CHARS_DEFAULT } from '#limits.ts';
import type { NodePart } from '#memory/nodes/find-node.ts';
import type { FoundNode, FoundPart } from '#memory/nodes/similar-nodes.ts';
import { DEFAULT_SOURCE, nodeShape, toNode } from './shapes.ts';

export const foundNodeShape = () =>
  nodeShape().extend({
    similarity: z.number().describe('0 to 1; 1 is the same.'),
  });

export type FoundNodeOutput = z.infer<ReturnType<typeof foundNodeShape>>;

export function toFoundNode(
  { node, similarity: found }: FoundNode,
  owner: string,
): FoundNodeOutput {
  return { ...toNode(node, owner), similarity: roundSimilarity(found) };
}

/** A turn or a summary as a node; a long text is shown in part. */
export function toFoundPart(found: FoundPart, owner: string) {
  const { part, similarity } = found;
  const said = 'prompt' in part ? [part.prompt, part.response] : [part.title, part.summary];
  return { ...toPart(found, owner, said), similarity: roundSimilarity(similarity) };
}

/** A turn or a summary as a node that says these texts. */
export function toPart({ part, kind }: NodePart, owner: string, said: readonly string[]) {
  return {
    id: formatId(kind, part.nodeId),
    owner_id: owner,
    node_type: kind === 'turn' ? ('Turn' as const) : ('Summary' as const),
    text: said.join('\n'),
    session_id: part.sessionId,
    metadata: {},
    source: ('agent' in part ? part.agent : part.source) ?? DEFAULT_SOURCE,
    status: 'active' as const,
    created_at: part.createdAt,
    updated_at: 'updatedAt' in part ? part.updatedAt : part.createdAt,
    ttl_days: null,
    expires_at: null,
  };
}

function roundSimilarity(similarity: number): number {
  // A rounded vector may be a little longer than 1.
  return Math.min(1, Math.round(similarity * 1000) / 1000);
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
