/** Fills a thread through its tables, without the judgement that a save makes: a few rows at a time. */
import { DEFAULT_CONFIDENCE, DEFAULT_IMPORTANCE } from '#graph/entity.ts';
import { writePassage, type Passage } from '#graph/text/passage.ts';
import type { Embedder } from '#search/embed/embedder.ts';
import { quantise, type QuantisedVector } from '#search/vector-index.ts';
import type { Store } from '#store/store.ts';
import type { EntityDraft } from '../support/invented-thread.ts';

/** Entities that are written in one transaction, as one revision. */
const ENTITIES_PER_REVISION = 250;

/** A fixed moment, a second further on with each revision. */
const EPOCH = Date.UTC(2026, 0, 20);

/** Checking the invariants takes longer than seeding; small threads stand for the large ones. */
const CHECKED_ENTITIES_MAX = 1_000;

/** Throws when the thread that came of it breaks an invariant. */
export async function seedThread(
  store: Store,
  embedder: Embedder,
  drafts: readonly EntityDraft[],
): Promise<void> {
  const idOf: number[] = [];
  for (let start = 0; start < drafts.length; start += ENTITIES_PER_REVISION) {
    const part = drafts.slice(start, start + ENTITIES_PER_REVISION);
    const at = EPOCH + start * 1_000;
    const vectors = await embedPassages(embedder, part);
    inRevision(store, at, () => {
      for (const draft of part) idOf.push(insertEntity(store, draft, vectors, embedder.model, at));
    });
    // Let what waits elsewhere go on: a whole thread is many seconds of work.
    await scheduler.wait(0);
  }
  for (let start = 0; start < drafts.length; start += ENTITIES_PER_REVISION) {
    const at = EPOCH + (drafts.length + start) * 1_000;
    inRevision(store, at, () => {
      const part = drafts.slice(start, start + ENTITIES_PER_REVISION);
      for (const [index, draft] of part.entries()) {
        insertRelations(store, idOf, start + index, draft, at);
      }
    });
    await scheduler.wait(0);
  }
  if (drafts.length > CHECKED_ENTITIES_MAX) return;
  const faults = store.checkInvariants();
  if (faults.length > 0) throw new Error(`Not so: ${JSON.stringify(faults, null, 2)}`);
}

type Vectors = ReadonlyMap<string, QuantisedVector>;

async function embedPassages(embedder: Embedder, drafts: readonly EntityDraft[]): Promise<Vectors> {
  const texts = drafts.flatMap((draft) => passagesOf(draft).map(writePassage));
  const vectors = await embedder.embed(texts, 'passage');
  return new Map(vectors.map((vector, index) => [texts[index] ?? '', quantise(vector)]));
}

function passagesOf({ name, entityType, facts }: EntityDraft): [Passage, ...Passage[]] {
  return [
    { kind: 'entity', title: name, body: entityType },
    ...facts.map((body): Passage => ({ kind: 'fact', title: name, body })),
  ];
}

function inRevision(store: Store, at: number, work: () => void): void {
  store.transaction(() => {
    const revision = store.revisions.open(at, 'bench', 'seed');
    work();
    store.revisions.close(revision);
  });
}

function insertEntity(
  store: Store,
  draft: EntityDraft,
  vectors: Vectors,
  model: string,
  at: number,
): number {
  const insertNode = (kind: 'entity' | 'fact', passage: Passage) => {
    const { importance } = draft;
    const nodeId = store.nodes.insert({ kind, confidence: DEFAULT_CONFIDENCE, importance, at });
    const vector = vectors.get(writePassage(passage));
    if (vector !== undefined) store.vectors.attach(nodeId, model, vector);
    return nodeId;
  };
  const [about, ...facts] = passagesOf(draft);
  const entityId = insertNode('entity', about);
  store.entities.insert(entityId, draft.name, draft.entityType);
  for (const passage of facts) {
    const nodeId = insertNode('fact', passage);
    const content = passage.body;
    store.facts.insert({ nodeId, entityId, content, isAtomic: true, version: 1, supersedes: null });
  }
  return entityId;
}

function insertRelations(
  store: Store,
  idOf: readonly number[],
  place: number,
  { relations }: EntityDraft,
  at: number,
): void {
  const fromId = idOf[place];
  for (const { to, type } of relations) {
    const toId = idOf[to];
    if (fromId === undefined || toId === undefined) throw new Error('A relation leads nowhere.');
    store.edges.insert({ fromId, toId, type }, DEFAULT_IMPORTANCE, at);
  }
}
