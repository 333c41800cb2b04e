/** What a neighbourhood left out, and how to get it. */
import type { NeighbourhoodView } from '#memory/reading/neighbourhood.ts';
import { noteOnCuts } from '../shapes.ts';

export function noteOnNeighbourhood(found: NeighbourhoodView) {
  const { entities, relations, entitiesCut, relationsCut } = found;
  return noteOnCuts([
    entitiesCut &&
      `Only the nearest ${entities.length} entities are shown; search_relations pages through all relations of one.`,
    relationsCut && `Only ${relations.length} of the relations among them are shown.`,
  ]);
}
