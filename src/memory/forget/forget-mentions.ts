/** What else speaks of something that is to be forgotten, each with an id by which a second call chooses it. */
import { toLine } from '#graph/text/excerpt.ts';
import type { NodeKind } from '#graph/ids.ts';
import { FORGET_MENTIONS_MAX } from './limits.ts';
import type { Edge } from '#graph/edge.ts';
import type { PastMention } from '#store/search/mentions.ts';
import type { Store } from '#store/store.ts';
import { formatAny, toNeedles, type FoundTarget } from './forget-target.ts';

export interface Mention {
  /** Of a node, or of a relation such as `rel_3_5_knows`. */
  readonly id: string;
  readonly what: 'entity' | 'observation' | 'memory' | 'turn' | 'summary' | 'relation';
  /** In what is there, in earlier states of what is there, or in what was deleted. */
  readonly where: 'now' | 'past' | 'deleted';
  readonly text: string;
  /** Undefined for a relation. */
  readonly nodeId?: number;
  readonly edge?: Edge;
  /** Rows of the history that speak of it. */
  readonly rows: readonly PastMention[];
}

export interface Mentions {
  readonly found: readonly Mention[];
  /** True when there are more. */
  readonly isCut: boolean;
  readonly needles: readonly string[];
}

/** Rows of the history; one node may have several. */
const PAST_ROWS_MAX = 10 * FORGET_MENTIONS_MAX;

export function findMentions(
  store: Store,
  target: FoundTarget,
  extra: readonly string[],
): Mentions {
  const needles = toNeedles([...target.phrases, ...extra]);
  const phrases = [...target.phrases, ...extra];
  const own = target.nodeIds;
  const limit = FORGET_MENTIONS_MAX + 1;
  const isMeant = ({ excerpt }: { readonly excerpt: string }) => hasPhrase(excerpt, phrases);
  const nodes = store.mentions.nodes(needles, own, limit).filter(isMeant);
  const linked = store.mentions.linked(own, limit);
  const known = new Map([...nodes, ...target.related, ...linked].map((one) => [one.nodeId, one]));
  const edges = store.mentions.edges(needles, own, limit).filter(isMeant);
  const past = store.mentions.past(needles, [...own, ...known.keys()], PAST_ROWS_MAX + 1);
  const found = [
    ...[...known.values()].map(({ nodeId, kind, entityId, excerpt }): Mention => ({
      id: formatAny(kind, nodeId, entityId),
      what: nameOf(kind, entityId),
      where: 'now',
      text: toLine(excerpt),
      nodeId,
      rows: [],
    })),
    ...edges.map(({ excerpt, ...edge }) => ofEdge(edge, 'now', excerpt, [])),
    ...ofPast(store, past.filter(isMeant), edges, phrases),
  ];
  return {
    found: found.slice(0, FORGET_MENTIONS_MAX),
    isCut: found.length > FORGET_MENTIONS_MAX || past.length > PAST_ROWS_MAX,
    needles,
  };
}

/** False where an excerpt has but longer ids than those that are meant: `turn_51` for `turn_5`. */
function hasPhrase(excerpt: string, phrases: readonly string[]): boolean {
  const ids = phrases.filter((phrase) => ID.test(phrase));
  const isWithin = (after: string) =>
    ids.some((id) => new RegExp(String.raw`(?<![a-z])${id}${after}`, 'iu').test(excerpt));
  if (!isWithin(String.raw`\d`) || isWithin(String.raw`(?!\d)`)) return true;
  const text = excerpt.toLowerCase();
  return phrases.some((phrase) => !ID.test(phrase) && text.includes(phrase.toLowerCase()));
}

const ID = /^(?:ent|obs|mem|turn|sum)_\d+$/u;

function ofEdge(
  edge: Edge,
  where: Mention['where'],
  excerpt: string,
  rows: readonly PastMention[],
): Mention {
  const id = `rel_${edge.fromId}_${edge.toId}_${edge.type}`;
  return { id, what: 'relation', where, text: toLine(excerpt), edge, rows };
}

function ofPast(
  store: Store,
  past: readonly PastMention[],
  now: readonly Edge[],
  phrases: readonly string[],
): Mention[] {
  const ofEdges = past.filter(({ table }) => table === 'edge');
  const ofNodes = Map.groupBy(
    past.filter(({ table }) => table !== 'edge'),
    ({ table, key }) => (table === 'node_version' ? Number(JSON.parse(key)[0]) : Number(key)),
  );
  const kinds = store.mentions.kindsOf([...ofNodes.keys()]);
  const entities = new Map(
    store.mentions.factLinks([...ofNodes.keys()]).map(({ nodeId, entityId }) => [nodeId, entityId]),
  );
  const isNow = (edge: Edge) =>
    now.some(
      (one) => one.fromId === edge.fromId && one.toId === edge.toId && one.type === edge.type,
    );
  return [
    ...[...ofNodes].map(([nodeId, rows]): Mention => {
      const { kind, isThere } = kinds.get(nodeId) ?? { kind: 'fact', isThere: false };
      const entityId = entities.get(nodeId) ?? null;
      return {
        id: formatAny(kind, nodeId, entityId),
        what: nameOf(kind, entityId),
        where: isThere ? 'past' : 'deleted',
        text: toLine(readImage(rows[0]?.excerpt ?? '', phrases)),
        nodeId,
        rows,
      };
    }),
    ...ofEdges.flatMap((row) => {
      const [fromId, toId, type] = JSON.parse(row.key) as [number, number, string];
      const edge = { fromId, toId, type };
      if (isNow(edge)) return [];
      const where = store.mentions.hasEdge(edge) ? 'past' : 'deleted';
      return [ofEdge(edge, where, row.excerpt, [row])];
    }),
  ];
}

/** Of a piece of a row as JSON, the text that is meant. */
function readImage(excerpt: string, phrases: readonly string[]): string {
  const texts = excerpt.split('"');
  const isMeant = (text: string) =>
    phrases.some((phrase) => text.toLowerCase().includes(phrase.toLowerCase()));
  return texts.find(isMeant) ?? excerpt;
}

function nameOf(kind: NodeKind, entityId: number | null): Mention['what'] {
  if (kind !== 'fact') return kind;
  return entityId === null ? 'memory' : 'observation';
}
