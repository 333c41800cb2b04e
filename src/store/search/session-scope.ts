/**
 * Searches within turns or within summaries, of one session or of one category. What a node belongs
 * to stands in the title of its text as a word of characters that no text has (Unicode's private
 * use), so that a text index itself finds nothing else, however much else there is.
 */
import type { NodeKind } from '#graph/ids.ts';
import { jsonLists } from '#store/json-lists.ts';
import type { Sql } from '#store/sql.ts';

/** The turns of a session, or the summaries of a category; of all of them for a null label. */
export interface Scope {
  readonly kind: 'turn' | 'summary';
  readonly label: string | null;
}

/** What a filter says of turns and summaries. */
interface ScopeFilter {
  readonly kinds: readonly NodeKind[];
  readonly sessionId?: string | undefined;
  readonly category?: string | undefined;
}

/** Undefined for a filter that lets other kinds through. */
export function scopeOf({ kinds, sessionId, category }: ScopeFilter): Scope | undefined {
  const [kind, ...more] = kinds;
  if (more.length > 0) return undefined;
  if (kind === 'turn') return { kind, label: sessionId ?? null };
  if (kind === 'summary') return { kind, label: category ?? null };
  return undefined;
}

/**
 * The word that every node of a kind has, and the signs around the word of its label: to the index
 * of substrings a label that is part of another would else be that other.
 */
const MARKS = {
  turn: { every: '\ue120\ue121\ue122', begin: '\ue123', end: '\ue124' },
  summary: { every: '\ue130\ue131\ue132', begin: '\ue133', end: '\ue134' },
} as const satisfies Record<Scope['kind'], unknown>;

const DIGIT_ZERO = 0xe100;

/** What an FTS5 expression must be joined with; the view `searchable` writes the words. */
export function scopeExpression({ kind, label }: Scope): string {
  const { every, begin, end } = MARKS[kind];
  return `title : "${label === null ? every : begin + privateUse(label) + end}"`;
}

/** Each hexadecimal digit of the text's bytes as a character. */
function privateUse(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) =>
    String.fromCharCode(DIGIT_ZERO + (byte >> 4), DIGIT_ZERO + (byte & 15)),
  ).join('');
}

interface Membership {
  readonly nodeId: number;
  readonly scope: Scope & { readonly label: string };
}

export function scopeStore(sql: Sql) {
  function read(kind: Scope['kind'], query: string, ...values: string[]): Membership[] {
    return sql
      .all<{ node_id: number; label: string }>(query, ...values)
      .map(({ node_id, label }) => ({ nodeId: node_id, scope: { kind, label } }));
  }

  return {
    /** What every turn and every summary belongs to. */
    list(): Membership[] {
      return [
        ...read('turn', 'SELECT node_id, session_id AS label FROM turn'),
        ...read(
          'summary',
          'SELECT summary_id AS node_id, category AS label FROM session WHERE summary_id IS NOT NULL',
        ),
      ];
    },

    /** The same of those among the nodes that are turns or summaries. */
    find(nodeIds: readonly number[]): Membership[] {
      const among = 'WHERE node_id IN (SELECT value FROM json_each(?))';
      return jsonLists(nodeIds).flatMap((list) => [
        ...read('turn', `SELECT node_id, session_id AS label FROM turn ${among}`, list),
        ...read('summary', `SELECT node_id, category AS label FROM summary ${among}`, list),
      ]);
    },
  };
}
