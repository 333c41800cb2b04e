/** The graph as a plain program would keep it: what the tools must agree with, and nothing of how they do it. */
import { relation, type PlainEntity, type PlainRelation } from './graph.ts';

interface ModelFact {
  content: string;
  /** How many versions it has had, itself included. */
  versions: number;
}

interface ModelEntity {
  entityType: string;
  facts: ModelFact[];
}

/** Each step says whether a thread must accept it, and changes nothing when it must not. */
export class GraphModel {
  readonly entities = new Map<string, ModelEntity>();
  relations: PlainRelation[] = [];

  /** Another with the same content, for trying what a step would do. */
  clone(): GraphModel {
    const copy = new GraphModel();
    for (const [name, entity] of this.entities) copy.entities.set(name, structuredClone(entity));
    copy.relations = [...this.relations];
    return copy;
  }

  saveMemory(
    drafts: readonly (PlainEntity & {
      relations: { targetEntity: string; relationType: string }[];
    })[],
  ): boolean {
    const names = new Set([...this.entities.keys(), ...drafts.map(({ name }) => name)]);
    const targets = drafts.flatMap(({ relations }) => relations);
    if (targets.some(({ targetEntity }) => !names.has(targetEntity))) return false;
    this.upsertEntities(drafts);
    for (const { name, entityType } of drafts) this.get(name).entityType = entityType;
    return this.createRelations(
      drafts.flatMap(({ name, relations }) =>
        relations.map(({ targetEntity, relationType }) =>
          relation(name, relationType, targetEntity),
        ),
      ),
    );
  }

  createEntities(entities: readonly PlainEntity[]): boolean {
    this.upsertEntities(
      entities.filter(
        ({ name }, index) =>
          !this.entities.has(name) && entities.findIndex((one) => one.name === name) === index,
      ),
    );
    return true;
  }

  upsertEntities(entities: readonly PlainEntity[]): boolean {
    for (const { name, entityType, observations } of entities) {
      if (!this.entities.has(name)) this.entities.set(name, { entityType, facts: [] });
      for (const content of observations) this.#addFact(name, { content, versions: 1 });
    }
    return true;
  }

  createRelations(relations: readonly PlainRelation[]): boolean {
    if (relations.some(({ from, to }) => !this.entities.has(from) || !this.entities.has(to))) {
      return false;
    }
    for (const one of relations) if (!this.#has(one)) this.relations.push(one);
    return true;
  }

  addObservations(items: readonly { entityName: string; contents: readonly string[] }[]): boolean {
    if (items.some(({ entityName }) => !this.entities.has(entityName))) return false;
    for (const { entityName, contents } of items) {
      for (const content of contents) this.#addFact(entityName, { content, versions: 1 });
    }
    return true;
  }

  updateObservation(name: string, content: string, newContent: string): boolean {
    const fact = this.entities.get(name)?.facts.find((one) => one.content === content);
    if (fact === undefined) return false;
    fact.content = newContent;
    fact.versions += 1;
    return true;
  }

  deleteEntities(names: readonly string[]): boolean {
    for (const name of names) this.entities.delete(name);
    this.relations = this.relations.filter(
      ({ from, to }) => this.entities.has(from) && this.entities.has(to),
    );
    return true;
  }

  deleteObservations(
    deletions: readonly { entityName: string; observations: readonly string[] }[],
  ): boolean {
    if (deletions.some(({ entityName }) => !this.entities.has(entityName))) return false;
    for (const { entityName, observations } of deletions) {
      const entity = this.get(entityName);
      entity.facts = entity.facts.filter(({ content }) => !observations.includes(content));
    }
    return true;
  }

  deleteRelations(relations: readonly PlainRelation[]): boolean {
    this.relations = this.relations.filter((one) => !relations.some((gone) => isSame(one, gone)));
    return true;
  }

  mergeEntities(source: string, target: string): boolean {
    const [from, into] = [this.entities.get(source), this.entities.get(target)];
    if (from === undefined || into === undefined || from === into) return false;
    for (const fact of from.facts) {
      const twin = into.facts.find(({ content }) => content === fact.content);
      if (twin === undefined) into.facts.push(fact);
      else if (twin.versions === 1) twin.versions = fact.versions;
    }
    const moved = this.relations
      .filter((one) => one.from === source || one.to === source)
      .map((one) =>
        relation(
          one.from === source ? target : one.from,
          one.relationType,
          one.to === source ? target : one.to,
        ),
      )
      .filter((one) => one.from !== one.to);
    this.deleteEntities([source]);
    return this.createRelations(moved);
  }

  /** Names of the entities that relations lead to from one, in either direction. */
  neighbours(name: string): string[] {
    return this.relations.flatMap(({ from, to }) => [
      ...(from === name ? [to] : []),
      ...(to === name ? [from] : []),
    ]);
  }

  /** Names by their distance from the nearest of some, as far as `depth`. */
  distances(names: readonly string[], depth: number): Map<string, number> {
    const distances = new Map(names.map((name) => [name, 0]));
    for (let distance = 1; distance <= depth; distance += 1) {
      const near = [...distances].filter(([, at]) => at === distance - 1).map(([name]) => name);
      for (const name of near.flatMap((one) => this.neighbours(one))) {
        if (!distances.has(name)) distances.set(name, distance);
      }
    }
    return distances;
  }

  get(name: string): ModelEntity {
    const entity = this.entities.get(name);
    if (entity === undefined) throw new Error(`The model has no entity ${name}.`);
    return entity;
  }

  #addFact(name: string, fact: ModelFact): void {
    const { facts } = this.get(name);
    if (!facts.some(({ content }) => content === fact.content)) facts.push(fact);
  }

  #has(relation_: PlainRelation): boolean {
    return this.relations.some((one) => isSame(one, relation_));
  }
}

function isSame(a: PlainRelation, b: PlainRelation): boolean {
  return a.from === b.from && a.to === b.to && a.relationType === b.relationType;
}
