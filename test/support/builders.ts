/** Nouns for tests: entities that know each other, as `save_memory` takes them. */

export interface EntityInput {
  name: string;
  entityType: string;
  observations: unknown;
  relations: unknown;
  confidence?: unknown;
  importance?: unknown;
}

export function entity(name: string, fields: Partial<EntityInput> = {}): EntityInput {
  return {
    name,
    entityType: 'Thing',
    observations: [`${name} is worth remembering`],
    relations: [{ targetEntity: 'Hub', relationType: 'belongs to' }],
    ...fields,
  };
}

export function relatesTo(targetEntity: string, relationType = 'relates to') {
  return { targetEntity, relationType };
}

/** An entity that the others may point to, pointing to the first of them. */
export function hub(target: string): EntityInput {
  return entity('Hub', { relations: [relatesTo(target, 'has')] });
}

/** A hub and entities that each belong to it. */
export function cluster(...names: string[]): EntityInput[] {
  return [hub(names[0] ?? ''), ...names.map((name) => entity(name))];
}
