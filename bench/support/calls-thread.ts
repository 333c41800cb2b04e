/** The thread that `npm run bench:calls` loads and the calls that it makes, the same in each run. */
import { nameOf, wordOfRank } from './invented-thread.ts';
import { writeSentences } from './working-life.ts';

/** The tools that both servers have, as the benchmark calls them. */
export const CALLS = ['create', 'add', 'search rare', 'search common', 'open'] as const;
export type CallName = (typeof CALLS)[number];

export interface ToolCall {
  readonly tool: string;
  readonly input: Record<string, unknown>;
}

/** Each of these occurs in 2 to 11 of 100 facts. */
const COMMON_WORDS = ['team', 'days', 'moved', 'version', 'decided', 'mobile', 'data', 'budget'];
const ENTITY_TYPES = ['Person', 'Project', 'Service', 'Document', 'Decision'];
const RELATION_TYPES = ['works on', 'depends on', 'decided by', 'describes'];

/** Items that the tools of both servers take at a time. */
const ITEMS_PER_CALL = 100;
/** Facts for each one that has a word of its own. */
const RARE_EVERY = 10;
/** Rounds go through the thread in steps of this prime, so that none meets an entity of another. */
const STRIDE = 7_919;
/** Entities that the measurements create come after all that are loaded. */
const CREATED_FROM = 100_000;

/** A thread and the calls to it. Neither depends on a random seed of the run. */
export interface CallsThread {
  /** The calls that load the entities after `from` and up to `to`, with a fact each, and the relations. */
  loading(from: number, to: number): ToolCall[];
  /** The call of a round to a thread of that many entities. Only the common words come again. */
  call(name: CallName, round: number, size: number): ToolCall;
}

export function callsThread(entities: number, rounds: number): CallsThread {
  const sentences = writeSentences(entities + 2 * rounds);

  function factOf(place: number): string {
    const sentence = sentences[place] ?? '';
    return place % RARE_EVERY === 0 ? `${sentence} (${rareWord(place)})` : sentence;
  }

  return {
    loading(from, to) {
      const places = Array.from({ length: to - from }, (_, index) => from + index);
      const loaded = places.map((place) => ({
        name: nameOf(place),
        entityType: typeOf(place),
        observations: [factOf(place)],
      }));
      const related = places.filter((place) => place % 2 === 1).map(relationOf);
      return [
        ...inChunks(loaded).map((chunk) => toCall('create_entities', { entities: chunk })),
        ...inChunks(related).map((chunk) => toCall('create_relations', { relations: chunk })),
      ];
    },

    call(name, round, size) {
      const place = (round * STRIDE) % size;
      const rareFacts = size / RARE_EVERY;
      switch (name) {
        case 'create': {
          const observations = [sentences[entities + 2 * round] ?? ''];
          const entity = { name: nameOf(CREATED_FROM + round), entityType: typeOf(round) };
          return toCall('create_entities', { entities: [{ ...entity, observations }] });
        }
        case 'add': {
          const contents = [sentences[entities + 2 * round + 1] ?? ''];
          return toCall('add_observations', {
            observations: [{ entityName: nameOf(place), contents }],
          });
        }
        case 'search rare':
          return toCall('search_nodes', { query: rareWord(RARE_EVERY * (place % rareFacts)) });
        case 'search common':
          return toCall('search_nodes', { query: COMMON_WORDS[round % COMMON_WORDS.length] });
        case 'open':
          return toCall('open_nodes', { names: [nameOf(place)] });
      }
    },
  };
}

/** To an entity that was loaded before. */
function relationOf(place: number) {
  return {
    from: nameOf(place),
    to: nameOf(Math.floor(place / 2)),
    relationType: RELATION_TYPES[place % RELATION_TYPES.length],
  };
}

function typeOf(place: number): string {
  return ENTITY_TYPES[place % ENTITY_TYPES.length] ?? '';
}

/** Two words in one, which no other text has. */
function rareWord(place: number): string {
  return `${wordOfRank(300 + (place % 97))}${wordOfRank(500 + Math.floor(place / 97))}`;
}

function toCall(tool: string, input: Record<string, unknown>): ToolCall {
  return { tool, input };
}

function inChunks<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / ITEMS_PER_CALL) }, (_, index) =>
    items.slice(index * ITEMS_PER_CALL, (index + 1) * ITEMS_PER_CALL),
  );
}
