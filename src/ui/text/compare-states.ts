/** What differs between two states of a graph, as rows with before and after. */
import type { RowChange } from '#http/wire.ts';

export interface ComparedState {
  readonly entities: readonly {
    readonly id: string;
    readonly name: string;
    readonly entityType: string;
    readonly facts: readonly {
      readonly id: string;
      readonly content: string;
      readonly supersedes?: string;
    }[];
  }[];
  readonly relations: readonly {
    readonly from: string;
    readonly to: string;
    readonly relationType: string;
  }[];
}

/** Entities first, then facts, then relations. A fact that replaces one of before is one change. */
export function compareStates(before: ComparedState, after: ComparedState): RowChange[] {
  return [
    ...compareEntities(before, after),
    ...compareFacts(before, after),
    ...compareRelations(before, after),
  ];
}

function compareEntities(before: ComparedState, after: ComparedState): RowChange[] {
  const known = new Map(before.entities.map((entity) => [entity.id, entity]));
  const kept = new Set(after.entities.map(({ id }) => id));
  const say = ({ name, entityType }: ComparedState['entities'][number]) =>
    `${name} (${entityType})`;
  return [
    ...after.entities.flatMap((entity) => {
      const old = known.get(entity.id);
      if (old === undefined)
        return [row('added', 'entity', entity.id, entity.name, null, say(entity))];
      return say(old) === say(entity)
        ? []
        : [row('changed', 'entity', entity.id, entity.name, say(old), say(entity))];
    }),
    ...before.entities
      .filter(({ id }) => !kept.has(id))
      .map((entity) => row('deleted', 'entity', entity.id, entity.name, say(entity), null)),
  ];
}

function compareFacts(before: ComparedState, after: ComparedState): RowChange[] {
  const flatten = ({ entities }: ComparedState) =>
    entities.flatMap(({ name, facts }) => facts.map((fact) => ({ ...fact, name })));
  const old = new Map(flatten(before).map((fact) => [fact.id, fact]));
  const replaced = new Set<string>();
  const rows = flatten(after).flatMap(({ id, content, name, supersedes }) => {
    const same = old.get(id);
    if (same !== undefined) {
      replaced.add(id);
      return same.content === content
        ? []
        : [row('changed', 'observation', id, name, same.content, content)];
    }
    const earlier = supersedes === undefined ? undefined : old.get(supersedes);
    if (earlier === undefined) return [row('added', 'observation', id, name, null, content)];
    replaced.add(earlier.id);
    return [row('changed', 'observation', id, name, earlier.content, content)];
  });
  const gone = [...old.values()].filter(({ id }) => !replaced.has(id));
  return [
    ...rows,
    ...gone.map((fact) => row('deleted', 'observation', fact.id, fact.name, fact.content, null)),
  ];
}

function compareRelations(before: ComparedState, after: ComparedState): RowChange[] {
  const say = ({ from, to, relationType }: ComparedState['relations'][number]) =>
    `${from} → ${relationType} → ${to}`;
  const old = new Set(before.relations.map(say));
  const now = new Set(after.relations.map(say));
  return [
    ...[...now.difference(old)].map((text) => row('added', 'relation', null, null, null, text)),
    ...[...old.difference(now)].map((text) => row('deleted', 'relation', null, null, text, null)),
  ];
}

function row(
  action: RowChange['action'],
  what: string,
  id: string | null,
  about: string | null,
  before: string | null,
  after: string | null,
): RowChange {
  return { action, what, id, about, before, after };
}
