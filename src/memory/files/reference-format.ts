/**
 * Makes records of our own of those of the reference memory server, which tells neither ids nor times
 * nor weights. Ids are counted, so that a file that is read twice has the same ones each time.
 */
import { quote } from '#errors.ts';
import { DEFAULT_RELATION_IMPORTANCE } from '#graph/edge.ts';
import { DEFAULT_CONFIDENCE, DEFAULT_IMPORTANCE } from '#graph/entity.ts';
import { normaliseContent } from '#graph/fact.ts';
import { isAtomic } from '#graph/rules/observation-rules.ts';
import type { Limits } from '#limits.ts';
import type { ArchiveRow } from '#store/bulk/archive-tables.ts';
import { readNodeRecord, readTableRecord, RecordFault } from './file-fields.ts';
import { readText, type ArchiveRecord, type Line, type ReferenceRecord } from './file-lines.ts';
import type { LineFault } from './file-faults.ts';

/**
 * Reads lines in their order. A fault comes in the place of what it is about: a whole line (a value
 * that cannot be stored, a relation whose ends no line before has), or one observation of an entity.
 */
export function openReferenceReader(limits: Limits, now: number) {
  const entities = new Map<string, number>();
  const relations = new Set<string>();
  let lastId = 0;

  function readEntity({ name, entityType }: ReferenceEntity): ArchiveRecord {
    if (entities.has(name)) throw new RecordFault(`the entity ${quote(name)} is there already`);
    lastId += 1;
    const node = toNode('entity', { id: lastId, name, entityType }, now);
    entities.set(name, lastId);
    return node;
  }

  function* readFacts(
    line: number,
    { name, observations }: ReferenceEntity,
  ): Generator<Line<ArchiveRecord> | LineFault> {
    const known = new Set<string>();
    for (const [index, given] of observations.entries()) {
      const field = `observations[${index}]`;
      const read = tryRead(line, () => {
        const content = normaliseContent(readText(field, given));
        if (content === '') throw new RecordFault(`${field} is empty`);
        if (known.has(content)) return undefined;
        known.add(content);
        lastId += 1;
        return toFact(lastId, entities.get(name) ?? 0, content, isAtomic(content, limits), now);
      });
      if (read !== undefined) yield read;
    }
  }

  /** Undefined for one that a line before has said already. */
  function readRelation({ from, to, relationType }: ReferenceRelation): ArchiveRecord | undefined {
    const [fromId, toId] = [from, to].map((name) => {
      const id = entities.get(name);
      if (id === undefined) throw new RecordFault(`no line before has the entity ${quote(name)}`);
      return id;
    });
    const row = readTableRecord('edge', {
      from: fromId,
      to: toId,
      relationType,
      importance: DEFAULT_RELATION_IMPORTANCE,
      metadata: null,
      createdAt: now,
    });
    const key = JSON.stringify([fromId, toId, relationType]);
    if (relations.has(key)) return undefined;
    relations.add(key);
    return { type: 'edge', row };
  }

  return function* read({
    line,
    record,
  }: Line<ReferenceRecord>): Generator<Line<ArchiveRecord> | LineFault> {
    if (record.type === 'reference relation') {
      const relation = tryRead(line, () => readRelation(record));
      if (relation !== undefined) yield relation;
      return;
    }
    const entity = tryRead(line, () => readEntity(record));
    yield entity;
    if ('record' in entity) yield* readFacts(line, record);
  };
}

type ReferenceEntity = Extract<ReferenceRecord, { type: 'reference entity' }>;
type ReferenceRelation = Extract<ReferenceRecord, { type: 'reference relation' }>;

/** The record of a line, or its fault; undefined where there is nothing to take. */
function tryRead<Found extends ArchiveRecord | undefined>(
  line: number,
  read: () => Found,
): Line<ArchiveRecord> | LineFault | Extract<Found, undefined> {
  try {
    const record = read();
    return record === undefined ? (record as Extract<Found, undefined>) : { line, record };
  } catch (error) {
    if (error instanceof RecordFault) return { line, problem: error.message };
    throw error;
  }
}

function toFact(
  id: number,
  entity: number,
  content: string,
  isShort: boolean,
  now: number,
): ArchiveRecord {
  const versions = { version: 1, supersedes: null, supersededBy: null };
  return toNode('fact', { id, entity, content, isAtomic: isShort, ...versions }, now);
}

/** With what a file of the reference server does not tell. */
function toNode(kind: 'entity' | 'fact', own: ArchiveRow, now: number): ArchiveRecord {
  const untold: ArchiveRow = {
    status: 'active',
    confidence: DEFAULT_CONFIDENCE,
    importance: DEFAULT_IMPORTANCE,
    source: null,
    metadata: null,
    createdAt: now,
    updatedAt: now,
    expiresAt: null,
    ttlDays: null,
    accessedAt: null,
  };
  return { type: 'node', kind, ...readNodeRecord(kind, { ...untold, ...own }) };
}
