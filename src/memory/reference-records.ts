/**
 * Makes records of our own of those of the reference memory server, which tells neither ids nor times
 * nor weights. Ids are counted, so that a file that is read twice has the same ones each time.
 */
import { quote } from '#errors.ts';
import { DEFAULT_RELATION_IMPORTANCE } from '#graph/edge.ts';
import { DEFAULT_CONFIDENCE, DEFAULT_IMPORTANCE } from '#graph/entity.ts';
import { isAtomic } from '#graph/observation-rules.ts';
import type { Limits } from '#limits.ts';
import type { ArchiveRow } from '#store/archive-tables.ts';
import { readNodeRecord, readTableRecord, RecordFault } from './archive-cells.ts';
import {
  faultyLine,
  type ArchiveRecord,
  type Line,
  type ReferenceRecord,
} from './archive-lines.ts';

/** Throws the error of a line for a relation whose ends no line before it has, and for a bad value. */
export function openReferenceReader(limits: Limits, now: number) {
  const entities = new Map<string, number>();
  const relations = new Set<string>();
  let lastId = 0;

  function* readEntity({
    name,
    entityType,
    observations,
  }: Extract<ReferenceRecord, { type: 'reference entity' }>): Generator<ArchiveRecord> {
    if (entities.has(name)) throw new RecordFault(`the entity ${quote(name)} is there already`);
    lastId += 1;
    const entity = lastId;
    entities.set(name, entity);
    yield toNode('entity', { id: entity, name, entityType }, now);
    for (const content of new Set(observations)) {
      if (content === '') throw new RecordFault('an observation is empty');
      lastId += 1;
      yield toNode(
        'fact',
        {
          id: lastId,
          entity,
          content,
          isAtomic: isAtomic(content, limits),
          version: 1,
          supersedes: null,
          supersededBy: null,
        },
        now,
      );
    }
  }

  function* readRelation({
    from,
    to,
    relationType,
  }: Extract<ReferenceRecord, { type: 'reference relation' }>): Generator<ArchiveRecord> {
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
    if (relations.has(key)) return;
    relations.add(key);
    yield { type: 'edge', row };
  }

  return function* read({ line, record }: Line<ReferenceRecord>): Generator<Line<ArchiveRecord>> {
    const records = record.type === 'reference entity' ? readEntity(record) : readRelation(record);
    try {
      for (const one of records) yield { line, record: one };
    } catch (error) {
      if (error instanceof RecordFault) throw faultyLine(line, error.message);
      throw error;
    }
  };
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
