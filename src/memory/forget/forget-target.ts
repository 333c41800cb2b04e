/** What is to be forgotten: the nodes that a caller names, deleted ones among them, and the texts that speak of them. */
import { MemoryError, quote } from '#errors.ts';
import { normaliseContent } from '#graph/fact.ts';
import { adviseOnId } from '#graph/id-advice.ts';
import { formatId, parseId, type IdKind, type NodeKind } from '#graph/ids.ts';
import { normaliseName } from '#graph/names.ts';
import { normaliseSessionId } from '#graph/turn.ts';
import type { NodeMention } from '#store/search/mentions.ts';
import type { Store } from '#store/store.ts';

export interface ForgetTarget {
  /** Id or exact name. */
  readonly entity?: string | undefined;
  /** Id or exact text. */
  readonly fact?: string | undefined;
  readonly turn?: string | undefined;
  readonly session?: string | undefined;
}

export interface FoundTarget {
  /** What was asked for, for messages. */
  readonly title: string;
  /** Which tools take the id that was given; undefined for a text that is no id, and for an id of the right kind. */
  readonly advice: string | undefined;
  /** Nodes that are there, and nodes that the history alone knows. */
  readonly nodeIds: readonly number[];
  /** Texts by which others may speak of it. */
  readonly phrases: readonly string[];
  /** Nodes that are about it though they do not name it. */
  readonly related: readonly NodeMention[];
}

/** Of a text that another may quote: shorter ones are in everything, longer ones are not quoted whole. */
const QUOTED_CHARS_MIN = 3;
const QUOTED_CHARS_MAX = 1_000;
/** Texts of a session's turns would be too many to look for. */
const TURN_TEXT_CHARS_MIN = 12;
/** Ids of nodes that are looked for in texts. */
const IDS_SOUGHT_MAX = 50;

/** Throws `invalid_input` unless one thing alone is named. */
export function findTarget(store: Store, target: ForgetTarget): FoundTarget {
  const given = Object.entries(target).filter(([, value]) => value !== undefined);
  const [[field, value = ''] = ['', '']] = given;
  if (given.length !== 1 || value.trim() === '') {
    throw new MemoryError(
      'invalid_input',
      'Name one thing to forget: entity, fact, turn or session.',
      {
        hint: 'Pass exactly one of them. phrases adds texts to look for. Nothing was changed.',
      },
    );
  }
  const found = FINDERS[field as keyof ForgetTarget](store, value);
  const advice = adviseOnId(value.trim(), KINDS[field as keyof ForgetTarget]);
  return { title: `${field} ${quote(value)}`, advice, ...found };
}

/** The kinds of ids that each field takes. */
const KINDS = {
  entity: ['entity'],
  fact: ['observation', 'memory'],
  turn: ['turn'],
  session: [],
} as const satisfies Record<keyof ForgetTarget, readonly IdKind[]>;

type Finder = (store: Store, value: string) => Pick<FoundTarget, 'nodeIds' | 'phrases' | 'related'>;

const FINDERS: Readonly<Record<keyof ForgetTarget, Finder>> = {
  entity({ mentions }, value) {
    const id = idOf(value, KINDS.entity);
    const name = normaliseName(value);
    // A name that another entity has now belongs to that entity, even if this one had it before.
    const now = mentions.entitiesNamedNow(name);
    const entities =
      id === undefined ? (now.length > 0 ? now : mentions.entitiesNamed(name)) : [id];
    const facts = mentions.factsAbout(entities);
    const names = mentions.namesOf(entities);
    const phrases = quotable([...(id === undefined ? [name] : []), ...names]);
    return {
      nodeIds: [...entities, ...facts],
      phrases: [...phrases, ...idsOf(entities, ['entity'])],
      related: [],
    };
  },

  fact({ mentions, facts }, value) {
    const id = idOf(value, KINDS.fact);
    const named = id === undefined ? mentions.factsSaying(normaliseContent(value)) : [id];
    const nodeIds = [...new Set(named.flatMap((one) => versionsWith(facts, one)))];
    const texts = [
      ...(id === undefined ? [normaliseContent(value)] : []),
      ...mentions.contentsOf(nodeIds),
    ];
    return {
      nodeIds,
      phrases: [...quotable(texts), ...idsOf(nodeIds, ['observation', 'memory'])],
      related: [],
    };
  },

  turn({ mentions }, value) {
    const id = idOf(value, KINDS.turn);
    if (id === undefined) throw notAnId(value);
    const texts = mentions.textsOfTurns([id], TURN_TEXT_CHARS_MIN, QUOTED_CHARS_MAX);
    return {
      nodeIds: [id],
      phrases: [...texts, ...idsOf([id], ['turn'])],
      related: mentions.summaryOfTurn(id),
    };
  },

  session({ mentions }, value) {
    const sessionId = normaliseSessionId(value);
    const nodeIds = mentions.nodesOfSession(sessionId);
    return {
      nodeIds,
      phrases: [...quotable([sessionId]), ...idsOf(nodeIds, ['turn', 'summary'])],
      related: [],
    };
  },
};

function notAnId(value: string): MemoryError {
  return new MemoryError('invalid_input', `${quote(value)} is not the id of a turn.`, {
    hint:
      adviseOnId(value.trim(), KINDS.turn) ??
      'Ids of turns look like turn_12; get_session_memories and query_raw_memories show them.',
  });
}

/** The current version goes with all before it; an earlier one goes alone. */
function versionsWith(facts: Store['facts'], nodeId: number): number[] {
  const chain = facts.chain(nodeId).map((version) => version.nodeId);
  return chain.at(-1) === nodeId ? chain : [nodeId];
}

function idOf(value: string, kinds: readonly IdKind[]): number | undefined {
  for (const kind of kinds) {
    const id = parseId(kind, value.trim());
    if (id !== undefined) return id;
  }
  return undefined;
}

function idsOf(nodeIds: readonly number[], kinds: readonly IdKind[]): string[] {
  if (nodeIds.length > IDS_SOUGHT_MAX) return [];
  return nodeIds.flatMap((id) => kinds.map((kind) => formatId(kind, id)));
}

function quotable(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter(
    ({ length }) => length >= QUOTED_CHARS_MIN && length <= QUOTED_CHARS_MAX,
  );
}

/** The texts as SQLite is asked for them: in lower case as it writes it, and as JSON has them. */
export function toNeedles(phrases: readonly string[]): string[] {
  const needles = new Set<string>();
  for (const phrase of phrases) {
    for (const form of [phrase.normalize('NFC'), phrase.normalize('NFD')]) {
      const [first = '', ...rest] = form.toLowerCase();
      const title = first.toUpperCase() + rest.join('');
      for (const variant of [form, form.toLowerCase(), form.toUpperCase(), title]) {
        // Metadata is JSON, a kept state has it as JSON in JSON, and the history has both as JSON again.
        let text = lowerAscii(variant);
        for (let level = 0; level <= JSON_LEVELS; level += 1) {
          needles.add(text);
          text = JSON.stringify(text).slice(1, -1);
        }
      }
    }
  }
  return [...needles];
}

const JSON_LEVELS = 3;

/** As `lower` of SQLite. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/gu, (letters) => letters.toLowerCase());
}

/** Such as `ent_3`, `mem_4` or `turn_5`. */
export function formatAny(kind: NodeKind, nodeId: number, entityId: number | null): string {
  if (kind !== 'fact') return formatId(kind, nodeId);
  return formatId(entityId === null ? 'memory' : 'observation', nodeId);
}
