/** The calls of all tools, in the order in which they disturb each other least. */
import { formatId } from '#graph/ids.ts';
import { TOOLSETS } from '#tools/catalog.ts';
import type { Effect, Tool } from '#tools/define.ts';
import { nameOf, type EntityDraft } from '../support/invented-thread.ts';
import type { BenchThread } from './bench-thread.ts';
import { TOOL_INPUTS, type Subject, type WriteInput } from './tool-inputs.ts';

/** Entities between two cases. */
export const PLACES_APART = 7;

/** What changes least goes first. */
const ORDER: readonly Effect[] = ['read', 'add', 'change', 'remove'];

export interface Case {
  readonly tool: Tool;
  readonly name: string;
  /** Undefined for the tool's own example. */
  readonly input: WriteInput | undefined;
}

export function listCases(): Case[] {
  // A thread alone is in no directory, and deleting it would be the end of the others.
  const tools = [...new Set(TOOLSETS.flatMap((toolset) => toolset.tools))].filter(
    ({ host, name }) => host === 'thread' && name !== 'delete_thread',
  );
  return ORDER.flatMap((effect) => tools.filter((tool) => tool.effect === effect)).flatMap(
    (tool): Case[] => {
      const inputs = Object.entries(TOOL_INPUTS[tool.name] ?? {});
      if (inputs.length === 0) return [{ tool, name: 'its example', input: undefined }];
      return inputs.map(([name, input]) => ({ tool, name, input }));
    },
  );
}

export function subjectAt(
  { store }: BenchThread,
  drafts: readonly EntityDraft[],
  place: number,
): Subject {
  const [entity] = store.entities.findMany([nameOf(place)]);
  const [fact] = entity ? store.facts.listCurrent([entity.nodeId], 1) : [];
  const [relation] = drafts[place]?.relations ?? [];
  const [target] = relation ? store.entities.findMany([nameOf(relation.to)]) : [];
  if (!entity || !target || fact === undefined || relation === undefined)
    throw new Error(`Nothing is at ${place}.`);
  return {
    place,
    lastRevision: store.revisions.lastId() ?? 0,
    name: (offset = 0) => nameOf(place + offset),
    fact: { id: formatId('observation', fact.nodeId), content: fact.content },
    relation: {
      to: nameOf(relation.to),
      type: relation.type,
      ids: [entity, target].map(({ nodeId }) => formatId('entity', nodeId)),
    },
  };
}
