/** Entities whose names are nearly the same: the same letters except for case, accents, spaces and signs. */

export interface LikelyDuplicate {
  /** The one with fewer facts. */
  readonly name: string;
  readonly entityType: string;
  /** The one that it is like. */
  readonly like: string;
}

interface NamedEntity {
  readonly name: string;
  readonly entityType: string;
  readonly facts: number;
}

const FOUND_MAX = 20;

export function findDuplicates(entities: readonly NamedEntity[]): LikelyDuplicate[] {
  const groups = Map.groupBy(entities, ({ name }) => plainName(name));
  return [...groups.values()]
    .flatMap((group) => {
      const [main, ...others] = group.toSorted((a, b) => b.facts - a.facts);
      return main === undefined
        ? []
        : others.map(({ name, entityType }) => ({ name, entityType, like: main.name }));
    })
    .slice(0, FOUND_MAX);
}

/** Singular, without signs; a name of signs alone stays as it is. */
function plainName(name: string): string {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
  return letters === '' ? name : letters.replace(/(?<=.{3})s$/, '');
}
