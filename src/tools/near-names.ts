/** Names that models give to fields in place of the right ones: driven by a schema, except this one table. */

/** By what was written, in small letters without separators: the fields that it may mean, written the same way. */
const NEAR_NAMES: Readonly<Record<string, readonly string[]>> = {
  type: ['entitytype', 'relationtype', 'nodetype'],
  relation: ['relationtype'],
  predicate: ['relationtype'],
  to: ['targetentity', 'toid'],
  target: ['targetentity', 'to'],
  from: ['fromid'],
  name: ['entityname', 'names', 'entitynames'],
  entity: ['entityname', 'name'],
  names: ['entitynames'],
  entities: ['entitynames', 'names'],
  facts: ['observations', 'contents'],
  observations: ['contents'],
  contents: ['observations'],
  content: ['newcontent', 'contents'],
  text: ['newcontent', 'content'],
  thread: ['threadid'],
  id: ['observationid', 'nodeid', 'factid'],
};

/**
 * The field that each unknown name stands for. A name is left alone when it could mean two fields, when
 * another name could mean the same field, and when the field is given under its own name.
 */
export function matchNearNames(
  given: readonly string[],
  fields: readonly string[],
): ReadonlyMap<string, string> {
  const known = new Set(fields);
  const present = new Set(given.filter((name) => known.has(name)));
  const free = fields.filter((field) => !present.has(field));
  const meant = given
    .filter((name) => !known.has(name))
    .flatMap((name) => {
      const [field, ...others] = free.filter((one) => isNear(name, one));
      return field !== undefined && others.length === 0 ? [[name, field] as const] : [];
    });
  const counts = Map.groupBy(meant, ([, field]) => field);
  return new Map(meant.filter(([, field]) => counts.get(field)?.length === 1));
}

/** `entity_type`, `EntityType` and `type` for `entityType`. */
function isNear(name: string, field: string): boolean {
  const [written, wanted] = [fold(name), fold(field)];
  if (written === wanted) return true;
  return Object.hasOwn(NEAR_NAMES, written) && NEAR_NAMES[written]?.includes(wanted) === true;
}

function fold(name: string): string {
  return name.replaceAll(/[\s_-]+/gu, '').toLowerCase();
}
