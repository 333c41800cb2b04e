/** Nodes from their beginning to their end, as seed 002 has them. */
import { MemoryError } from '#errors.ts';
import { normaliseContent } from '#graph/fact.ts';
import { SUMMARIZES, type MemoryNode } from '#graph/memory-node.ts';
import { normaliseName } from '#graph/names.ts';
import {
  findEntityNameProblem,
  findFactTextProblem,
  findMetadataProblem,
  findScoreProblem,
  refuseProblems,
} from '#graph/rules/node-rules.ts';
import type { NodeFields } from '#store/graph/nodes.ts';
import { addEntity } from '#memory/entities/create-entities.ts';
import {
  AUTO_LINK_SIMILARITY,
  linkMentions,
  putEdge,
  resolveLinks,
  type LinkRequest,
} from './links.ts';
import { changeNode, type NodeUpdate } from './update-node.ts';
import { findDetailProblems, readExpiry, type NodeDetails } from './node-details.ts';
import { factNotFound, findPart, getNode, type NodePart } from './find-node.ts';
import { readHistory, type NodeHistory } from './node-history.ts';
import { addFact, factPassage } from '#memory/facts/observations.ts';
import { removeFact } from '#memory/entities/delete.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export interface NewFactNode extends NodeDetails {
  readonly text: string;
  readonly links: readonly LinkRequest[];
  /** Whether to link it to the entities that it speaks of. */
  readonly isAutoLinked: boolean;
  /** Cosine from which an entity that it does not name is linked. */
  readonly similarityMin?: number | undefined;
}

export interface NewEntityNode extends NodeDetails {
  readonly name: string;
  readonly links: readonly LinkRequest[];
}

export function nodeUseCases(world: World, writer: Writer) {
  const { write } = writer;
  const { store, semantics, limits, now } = world;

  async function createFact(fact: NewFactNode, linkField: string): Promise<MemoryNode> {
    const { links, isAutoLinked, similarityMin = AUTO_LINK_SIMILARITY } = fact;
    refuseProblems([
      findFactTextProblem(fact.text, limits),
      findScoreProblem('semantic_threshold', similarityMin),
      ...findDetailProblems(world, fact),
    ]);
    resolveLinks(world, links, linkField);
    const content = normaliseContent(fact.text);
    // Which entities are near decides what it is linked to; else its vector can wait.
    const vector = isAutoLinked
      ? await semantics.prepare(factPassage(undefined, content))
      : undefined;
    return write(() => {
      const targets = resolveLinks(world, links, linkField);
      const details = readDetails(world, fact);
      const nodeId = addFact(world, { ...details, entity: null, content }, vector);
      for (const target of targets) putEdge(world, { fromId: nodeId, ...target });
      if (isAutoLinked) linkMentions(world, { nodeId, content, vector, similarityMin });
      return readNode(world, nodeId);
    });
  }

  return {
    /** A node of any kind; at most that many characters of each text of a turn. Throws `not_found`. */
    get: (id: string, charsMax: number): MemoryNode | NodePart =>
      findPart(store, id, charsMax) ?? getNode(store, id),

    /** Always a new one: two facts may say the same. */
    createFact: (fact: NewFactNode): Promise<MemoryNode> => createFact(fact, 'links'),

    /** The entity of that name, which is left as it is when there is one. */
    createEntity(entity: NewEntityNode): { node: MemoryNode; isNew: boolean } {
      refuseProblems([findEntityNameProblem(entity.name), ...findDetailProblems(world, entity)]);
      const targets = resolveLinks(world, entity.links, 'links');
      const name = normaliseName(entity.name);
      return write(() => {
        const [known] = store.entities.findMany([name]);
        const details = readDetails(world, entity);
        const nodeId = known?.nodeId ?? addEntity(world, { ...details, name });
        const isLinked = targets.map((target) => putEdge(world, { fromId: nodeId, ...target }));
        if (known && isLinked.includes(true)) store.nodes.touch([nodeId], now);
        return { node: readNode(world, nodeId), isNew: known === undefined };
      });
    },

    /** Throws `not_found`, and `invalid_input` for a change that cannot be. */
    update: (id: string, update: NodeUpdate): MemoryNode => changeNode(world, writer, id, update),

    /** The reason joins the metadata. Throws `not_found`. */
    markOutdated(factId: string, reason: string | undefined): MemoryNode {
      const fact = getNode(store, factId);
      if (fact.kind !== 'fact') throw factNotFound(factId);
      const metadata =
        reason === undefined ? undefined : { ...fact.metadata, outdated_reason: reason };
      refuseProblems([findMetadataProblem(metadata, limits)]);
      return write(() => {
        if (fact.status !== 'outdated') store.nodeVersions.keep(fact, now);
        store.nodes.update(fact.nodeId, { status: 'outdated', metadata }, now);
        if (fact.entityId !== null) store.nodes.touch([fact.entityId], now);
        return readNode(world, fact.nodeId);
      });
    },

    /** A node of any kind, with all that hangs on it. Throws `not_found`. */
    remove(id: string): void {
      const found = findPart(store, id, 0);
      if (found !== undefined) {
        const { kind: table, part } = found;
        return write(() => store.nodes.removePart(table, part.nodeId));
      }
      const { nodeId, kind, entityId } = getNode(store, id);
      write(() => {
        if (kind === 'entity') return void store.nodes.removeEntities([nodeId]);
        removeFact(store, nodeId);
        if (entityId !== null) store.nodes.touch([entityId], now);
      });
    },

    /** States of the node before its updates, newest first. Throws `not_found`. */
    history: (id: string): NodeHistory => readHistory(store, getNode(store, id)),

    /** A fact that sums up others, linked to each. Throws `invalid_input` when one is missing. */
    async summarise(factIds: readonly string[], text: string, source: string): Promise<MemoryNode> {
      const links = factIds.map((nodeId) => ({
        nodeId,
        nodeType: 'Fact' as const,
        relationType: SUMMARIZES,
      }));
      return createFact({ text, source, links, isAutoLinked: false }, 'fact_ids');
    },
  };
}

function readNode({ store }: World, nodeId: number): MemoryNode {
  const [node] = store.memoryNodes.findByIds([nodeId]);
  if (node) return node;
  throw new MemoryError('conflict', 'The node was removed meanwhile.');
}

function readDetails({ now }: World, details: NodeDetails): NodeFields {
  const { source, metadata, status, ttlDays } = details;
  return { source, metadata, status, ttlDays, expiresAt: readExpiry(details, now) };
}
