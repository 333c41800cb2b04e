/** What an id names and which tools take it, for a caller that has given it to another. */
import { quote } from '#errors.ts';
import { ID_KINDS, parseId, type IdKind } from './ids.ts';

const TITLES: Readonly<Record<IdKind, string>> = {
  entity: 'an entity',
  observation: 'a fact about an entity',
  memory: 'a fact that stands alone',
  turn: 'a logged turn',
  summary: 'the summary of a session',
};

const TOOLS: Readonly<Record<IdKind, string>> = {
  entity: 'open_nodes shows it by its name, get_node by its id; update_node changes it',
  observation: 'get_node reads it, update_observation replaces it, delete_observations deletes it',
  memory: 'get_node reads it, supersede_memory or update_node replaces it, delete_node deletes it',
  turn: 'get_node reads it, get_session_memories reads its session, delete_node deletes it',
  summary: 'get_node reads it, summarize_sessions makes it again, delete_node deletes it',
};

/** What an id says of itself, whether or not there is such a node; undefined for a text that is no id. */
export function kindOfId(text: string): IdKind | undefined {
  return ID_KINDS.find((kind) => parseId(kind, text) !== undefined);
}

/** Such as `a logged turn`. */
export function titleOfId(kind: IdKind): string {
  return TITLES[kind];
}

/** Such as `get_node reads it, …`. */
export function toolsForId(kind: IdKind): string {
  return TOOLS[kind];
}

/**
 * Such as `'turn_8' is a logged turn: get_node reads it, …`. Undefined for a text that is no id, and
 * for an id of a kind that the tool takes.
 */
export function adviseOnId(text: string, taken: readonly IdKind[]): string | undefined {
  const kind = kindOfId(text);
  if (kind === undefined || taken.includes(kind)) return undefined;
  return `${quote(text)} is ${TITLES[kind]}: ${TOOLS[kind]}.`;
}
