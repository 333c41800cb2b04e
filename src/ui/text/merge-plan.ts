/** What a merge of two entities will do, before it is done. */

export interface MergeSide {
  readonly entity: { readonly name: string };
  readonly facts: readonly { readonly content: string }[];
  readonly relations: readonly {
    readonly from: string;
    readonly to: string;
    readonly relationType: string;
  }[];
}

export interface MergePlan {
  /** Facts that the target gets. */
  readonly moved: readonly string[];
  /** Facts that both have, word for word. */
  readonly doubles: readonly string[];
  /** Relations that the target gets. */
  readonly relations: number;
}

export function planMerge(source: MergeSide, target: MergeSide): MergePlan {
  const known = new Set(target.facts.map(({ content }) => content));
  const contents = source.facts.map(({ content }) => content);
  const { name } = target.entity;
  const rename = (end: string) => (end === source.entity.name ? name : end);
  const keyOf = (from: string, to: string, type: string) => JSON.stringify([from, to, type]);
  const existing = new Set(
    target.relations.map(({ from, to, relationType }) => keyOf(from, to, relationType)),
  );
  const fresh = new Set<string>();
  for (const { from, to, relationType } of source.relations) {
    const key = keyOf(rename(from), rename(to), relationType);
    // A relation between the two would lead from the entity to itself.
    if (rename(from) !== rename(to) && !existing.has(key)) fresh.add(key);
  }
  return {
    moved: contents.filter((content) => !known.has(content)),
    doubles: contents.filter((content) => known.has(content)),
    relations: fresh.size,
  };
}
