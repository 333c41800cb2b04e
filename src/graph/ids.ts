/** Ids as clients see them: short, stable, and telling what they name. Inside, a node id is a number. */

export type NodeKind = 'entity' | 'fact' | 'turn' | 'summary';

const PREFIXES = { entity: 'ent', observation: 'obs', memory: 'mem', turn: 'turn', summary: 'sum' };

/** What an id names; a fact is an observation when attached to an entity, a memory when free. */
export type IdKind = keyof typeof PREFIXES;

export const ID_KINDS = Object.keys(PREFIXES) as readonly IdKind[];

export function formatId(kind: IdKind, nodeId: number): string {
  return `${PREFIXES[kind]}_${nodeId}`;
}

/** The node id, or undefined when the text is no id of that kind. */
export function parseId(kind: IdKind, text: string): number | undefined {
  const prefix = `${PREFIXES[kind]}_`;
  if (!text.startsWith(prefix)) return undefined;
  const digits = text.slice(prefix.length);
  return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : undefined;
}

/** A fact's id by what it stands for: `mem_1` alone, `obs_1` about an entity. */
export function formatFactId({
  nodeId,
  entityId,
}: {
  readonly nodeId: number;
  readonly entityId: number | null;
}): string {
  return formatId(entityId === null ? 'memory' : 'observation', nodeId);
}
