/** A thread at its limits, as files that an import takes. */
import { seedRandom } from './random.ts';

export interface ThreadSize {
  readonly entities: number;
  readonly facts: number;
  readonly turns: number;
  readonly relations: number;
  /** Characters of a turn. */
  readonly turnChars: number;
}

const AT = Date.UTC(2026, 0, 20);
const PART_BYTES = 100_000_000;
const WORDS = 'harbour tea engine garden letter winter river copper window market song'.split(' ');

const NODE = {
  status: 'active',
  confidence: 1,
  importance: 0.5,
  source: null,
  metadata: null,
  createdAt: AT,
  updatedAt: AT,
  expiresAt: null,
  ttlDays: null,
  accessedAt: null,
};

/** Each begins with a header. The first has all that relations and facts are about. */
export function* writeFullThread(size: ThreadSize): Generator<Buffer<ArrayBuffer>> {
  let lines: Buffer[] = [];
  let bytes = 0;
  for (const record of records(size)) {
    if (bytes === 0) lines.push(toLine({ type: 'header', format: 'skein', version: 1 }));
    const line = toLine(record);
    lines.push(line);
    bytes += line.length;
    if (bytes < PART_BYTES) continue;
    yield Buffer.concat(lines);
    lines = [];
    bytes = 0;
  }
  if (lines.length > 0) yield Buffer.concat(lines);
}

function toLine(record: object): Buffer {
  return Buffer.from(`${JSON.stringify(record)}\n`);
}

function* records({ entities, facts, turns, relations, turnChars }: ThreadSize): Generator<object> {
  const random = seedRandom(1);
  const sentence = (words: number) =>
    Array.from({ length: words }, () => random.pick(WORDS)).join(' ');
  for (let id = 1; id <= entities; id += 1) {
    yield { type: 'entity', id, name: `Entity ${id}`, entityType: random.pick(WORDS), ...NODE };
  }
  for (let number = 1; number <= facts; number += 1) {
    const fact = { isAtomic: true, version: 1, supersedes: null, supersededBy: null };
    const entity = 1 + random.below(entities);
    const content = `Fact ${number} is about ${sentence(8)}`;
    yield { type: 'fact', id: entities + number, entity, content, ...fact, ...NODE };
  }
  for (let number = 0; number < relations; number += 1) {
    const from = 1 + (number % entities);
    const to = 1 + ((from + 1 + Math.floor(number / entities)) % entities);
    const edge = { relationType: 'knows', importance: 0.5, metadata: null, createdAt: AT };
    yield { type: 'edge', from, to, ...edge };
  }
  const rest = sentence(Math.ceil(turnChars / 6)).slice(0, turnChars);
  for (let number = 1; number <= turns; number += 1) {
    const text = { prompt: `Turn ${number}`, thought: '', response: rest };
    const own = { sessionId: `session-${number % 500}`, agent: null, model: null, ...text };
    yield { type: 'turn', id: entities + facts + number, ...own, ...NODE };
  }
}
