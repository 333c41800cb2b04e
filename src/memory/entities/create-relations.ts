/** New relations between entities that are there. */
import { assert, refuseFaults, type Fault } from '#errors.ts';
import { readNewRelations, SEND_AGAIN, type NewRelation } from '#graph/rules/create-request.ts';
import { DEFAULT_RELATION_IMPORTANCE } from '#graph/edge.ts';
import type { Entity } from '#graph/entity.ts';
import { missingEntityFaults, resolveExactNames } from './entity-names.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export interface MadeRelations {
  readonly created: readonly NewRelation[];
  /** Relations that the thread had, or that stood earlier in the request. */
  readonly skipped: readonly NewRelation[];
}

export function relationUseCases(world: World, { writeAdditions }: Writer) {
  const { store, now } = world;
  return {
    /**
     * All or nothing: throws `invalid_input` with every faulty item. Names are exact: a relation
     * to a name that is merely close would be found by nobody.
     */
    create(given: readonly unknown[]): MadeRelations {
      const { items, faults } = readNewRelations(given);
      const names = items.flatMap(({ from, to }) => [from, to]);
      const found = resolveExactNames(store, names);
      refuseFaults([...faults, ...unknownEnds(world, items, found)].toSorted(byPath), SEND_AGAIN);
      return writeAdditions(() => {
        const wanted = items.map((relation) => ({
          relation,
          fromId: getId(found, relation.from),
          toId: getId(found, relation.to),
          type: relation.relationType,
          importance: DEFAULT_RELATION_IMPORTANCE,
          at: now,
        }));
        const added = new Set<object>(store.additions.add({ relations: wanted }));
        const made = wanted.filter((one) => added.has(one));
        store.nodes.touch([...new Set(made.map(({ fromId }) => fromId))], now);
        return {
          created: made.map(({ relation }) => relation),
          skipped: wanted.filter((one) => !added.has(one)).map(({ relation }) => relation),
        };
      });
    },
  };
}

/** An end that could not be read has its own fault already. */
function unknownEnds(
  { store }: World,
  relations: readonly NewRelation[],
  found: ReadonlyMap<string, Entity>,
): Fault[] {
  const ends = relations.flatMap(({ from, to }, index) => [
    { name: from, path: `relations[${index}].from` },
    { name: to, path: `relations[${index}].to` },
  ]);
  const named = ends.filter(({ name }) => name !== '');
  const names = named.map(({ name }) => name);
  return missingEntityFaults(store, names, found, (position) => named[position]?.path ?? '');
}

/** In the order of the request, whatever found them. */
function byPath(a: Fault, b: Fault): number {
  return a.path.localeCompare(b.path, 'en', { numeric: true });
}

function getId(found: ReadonlyMap<string, Entity>, name: string): number {
  const entity = found.get(name);
  assert(entity !== undefined, 'a checked end is there');
  return entity.nodeId;
}
