/** What a search answered, by entity: its own reasons, and those of its facts. */
import type { EntityWire, SearchMatch } from '#http/wire.ts';

export interface FoundFact {
  readonly id: string;
  readonly content: string;
  readonly why: readonly string[];
}

export interface FoundEntity {
  readonly name: string;
  readonly entityType: string;
  /** Why the entity itself was found; empty where its facts alone were. */
  readonly why: readonly string[];
  /** The best of its scores, and its share of the best of all. */
  readonly score: { readonly value: number; readonly share: number };
  readonly matches: readonly FoundFact[];
}

interface SearchAnswer {
  readonly entities: readonly EntityWire[];
  readonly matches?: readonly SearchMatch[];
}

/** In the order of the answer, best first. */
export function groupMatches({ entities, matches = [] }: SearchAnswer): FoundEntity[] {
  const best = Math.max(...matches.map(({ score }) => score), Number.MIN_VALUE);
  return entities.map(({ name, entityType }) => {
    const own = matches.filter(({ entityName }) => entityName === name);
    const value = Math.max(0, ...own.map(({ score }) => score));
    return {
      name,
      entityType,
      why: own.find(({ content }) => content === null)?.why ?? [],
      score: { value, share: value / best },
      matches: own.flatMap(({ id, content, why }) =>
        content === null ? [] : [{ id, content, why }],
      ),
    };
  });
}

/** Where words of the query, or words that begin like them, occur in a text: pairs of start and end. */
export function findWords(text: string, query: string): (readonly [number, number])[] {
  const stems = (query.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).map((word) =>
    word.length > 4 ? word.replace(/(?:es|s|ing|ed)$/, '') : word,
  );
  return [...text.matchAll(/[\p{L}\p{N}]+/gu)]
    .filter(([word]) => stems.some((stem) => word.toLowerCase().startsWith(stem)))
    .map(({ 0: word, index }) => [index, index + word.length] as const);
}
