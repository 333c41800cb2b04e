/** Nouns for tests of the graph tools: entities and relations as those take them, and threads full of them. */
import type { TestMemory } from './memory.ts';

export interface PlainEntity {
  name: string;
  entityType: string;
  observations: string[];
}

export interface PlainRelation {
  from: string;
  to: string;
  relationType: string;
}

export function person(name: string, ...observations: string[]): PlainEntity {
  return { name, entityType: 'person', observations };
}

/** In the order in which it is said: Alice knows Bob. */
export function relation(from: string, relationType: string, to: string): PlainRelation {
  return { from, to, relationType };
}

/** Creates the ends of the relations, and the relations, however many. */
export async function relate(memory: TestMemory, relations: PlainRelation[]): Promise<void> {
  const names = [...new Set(relations.flatMap(({ from, to }) => [from, to]))];
  for (const part of chunks(names)) {
    await memory.call('create_entities', { entities: part.map((name) => person(name)) });
  }
  for (const part of chunks(relations)) {
    await memory.call('create_relations', { relations: part });
  }
}

/** A crowd that all know one another, each pair by one relation. */
export function complete(names: readonly string[]): PlainRelation[] {
  return names.flatMap((from, index) =>
    names.slice(index + 1).map((to) => relation(from, 'knows', to)),
  );
}

export function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

export async function observationsOf(memory: TestMemory, name: string): Promise<string[]> {
  return (await memory.call('get_entity', { name }))['observations'];
}

function* chunks<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += 100) yield items.slice(start, start + 100);
}
