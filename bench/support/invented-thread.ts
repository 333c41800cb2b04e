/**
 * A thread in an invented language whose words are as unevenly frequent as those of a real one. It
 * says nothing, but it costs the indexes what real text would: common words, rare words,
 * identifiers, a script without spaces.
 */
import { seedRandom, zipfRank, type Random } from './random.ts';

export interface EntityDraft {
  readonly name: string;
  readonly entityType: string;
  readonly facts: readonly string[];
  /** 0 to 1, spread evenly over the thread. */
  readonly importance: number;
  /** Places of entities in the thread; the later ones among them may not be written yet. */
  readonly relations: readonly { readonly to: number; readonly type: string }[];
}

export interface ThreadSize {
  readonly entities: number;
  readonly factsPerEntity: number;
  /** Those that start at an entity, each to another one. */
  readonly relationsPerEntity: number;
}

/** Stands in half of all facts. */
export const COMMON_WORD = 'system';
/** Stands in three facts, however many there are. */
export const RARE_WORD = 'zanthoxylum';
/** Of one fact; others have identifiers that begin the same. */
export const IDENTIFIER = 'INC-1234567';
export const CJK_WORD = '注文管理';

const VOCABULARY = 20_000;
/** With ten words to a fact the most frequent one stands in one fact of twenty. */
const ZIPF_OFFSET = 30;
const WORDS_MIN = 6;
const WORDS_SPREAD = 9;

const COMMON_SHARE = 0.5;
const IDENTIFIER_SHARE = 0.1;
const CJK_SHARE = 0.04;

const ENTITY_TYPES = ['Person', 'Project', 'Service', 'Document', 'Decision'];
const RELATION_TYPES = ['works on', 'depends on', 'decided by', 'describes'];

const ONSETS = 'b br c cl d dr f fl g gr h j k l m n p pl pr qu r s sh sl st t tr v w z'.split(' ');
const NUCLEI = 'a ai e ea i ie o oa oo u'.split(' ');
const CODAS = 'b ck d ft g l lm m n nd ng p r rn s sk st t x'.split(' ');

const CJK_PARTS = [
  '東京本社',
  '顧客対応',
  '注文管理',
  '支払処理',
  '在庫確認',
  '来週会議',
  '設計資料',
  '障害報告',
  '担当者',
  '移行計画',
  '検索機能',
  '性能改善',
];

/** The word of that rank, from the most frequent on; the same for every thread. */
export function wordOfRank(rank: number): string {
  const word = WORDS[rank];
  if (word === undefined) throw new Error(`The language has no word of rank ${rank}.`);
  return word;
}

const WORDS = inventWords(VOCABULARY);

export function nameOf(place: number): string {
  const random = seedRandom(place * 2_654_435_761 + 7);
  const [first = '', second = ''] = [0, 1].map(() => capitalise(random.pick(WORDS)));
  return `${first} ${second} ${place}`;
}

export function* inventThread(size: ThreadSize, seed = 1): Generator<EntityDraft> {
  const { entities, factsPerEntity } = size;
  const random = seedRandom(seed);
  const facts = entities * factsPerEntity;
  const special = new Map([
    ...[3, 5, 7].map((tenths): [number, string] => [Math.floor((facts * tenths) / 10), RARE_WORD]),
    [Math.floor((facts * 6) / 10), IDENTIFIER] as const,
  ]);
  for (let place = 0; place < entities; place += 1) {
    yield {
      name: nameOf(place),
      entityType: random.pick(ENTITY_TYPES),
      facts: Array.from({ length: factsPerEntity }, (_, index) =>
        inventFact(random, special.get(place * factsPerEntity + index)),
      ),
      importance: (place % 100) / 100,
      relations: inventRelations(random, place, size),
    };
  }
}

function inventRelations(
  random: Random,
  place: number,
  { entities, relationsPerEntity }: ThreadSize,
): EntityDraft['relations'] {
  const targets = new Set<number>();
  while (targets.size < relationsPerEntity) {
    const to = random.below(entities);
    if (to !== place) targets.add(to);
  }
  return [...targets].map((to) => ({ to, type: random.pick(RELATION_TYPES) }));
}

function inventFact(random: Random, special: string | undefined): string {
  if (special === undefined && random.next() < CJK_SHARE) return inventCjkFact(random);
  const words = Array.from({ length: WORDS_MIN + random.below(WORDS_SPREAD) }, () =>
    wordOfRank(zipfRank(random, VOCABULARY, ZIPF_OFFSET)),
  );
  // CJK facts have no words: the rest must have the common one that much more often.
  if (random.next() < COMMON_SHARE / (1 - CJK_SHARE)) insert(random, words, COMMON_WORD);
  if (random.next() < IDENTIFIER_SHARE) {
    insert(random, words, `INC-${2_000_000 + random.below(8_000_000)}`);
  }
  if (special !== undefined) insert(random, words, special);
  return capitalise(words.join(' '));
}

function inventCjkFact(random: Random): string {
  const parts = Array.from({ length: 3 }, () => random.pick(CJK_PARTS));
  return `${parts.join('の')}を${random.below(10_000)}件確認した`;
}

function insert(random: Random, words: string[], word: string): void {
  words.splice(random.below(words.length + 1), 0, word);
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Frequent words are short, as in any language. */
function inventWords(count: number): string[] {
  const random = seedRandom(20_260_120);
  const words = new Set<string>();
  while (words.size < count) {
    const syllables = words.size < 300 ? 1 : 2 + random.below(2);
    const word = Array.from(
      { length: syllables },
      () => random.pick(ONSETS) + random.pick(NUCLEI) + random.pick(CODAS),
    ).join('');
    words.add(word);
  }
  return [...words];
}
