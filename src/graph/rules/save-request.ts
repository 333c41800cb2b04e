/**
 * Reads the entities of a `save_memory` request as they arrived, of whatever shape, and names every
 * fault at once: a model that has to fix three things should not need three calls to learn of them.
 */
import {
  ENTITIES_PER_CALL_MAX,
  ENTITY_NAME_CHARS_MAX,
  ENTITY_TYPE_CHARS_MAX,
  OBSERVATIONS_PER_ENTITY_MAX,
  RELATIONS_PER_ENTITY_MAX,
  RELATION_TYPE_CHARS_MAX,
  type Limits,
} from '#limits.ts';
import { DEFAULT_RELATION_IMPORTANCE } from '#graph/edge.ts';
import { normaliseEntityType, suggestEntityType } from '#graph/entity-type.ts';
import { normaliseContent } from '#graph/fact.ts';
import { normaliseName } from '#graph/names.ts';
import { findObservationProblem } from './observation-rules.ts';
import { countChars, findTextProblem, findUnitProblem, nameType } from './text-rules.ts';

export interface RelationDraft {
  readonly targetEntity: string;
  readonly relationType: string;
  readonly importance: number;
}

export interface EntityDraft {
  /** Position in the request. */
  readonly index: number;
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly string[];
  readonly relations: readonly RelationDraft[];
  /** True when the request gives it no relation at all. */
  readonly lacksRelations: boolean;
  /** Undefined when the request leaves it open: a new entity gets the default, an old one keeps its own. */
  readonly confidence: number | undefined;
  readonly importance: number | undefined;
}

/** One fault, in the shape of the specification's error objects. */
export interface SaveFault {
  readonly index: number;
  readonly error: 'Validation failed';
  readonly entity: string;
  readonly observation?: string;
  readonly relation?: { readonly targetEntity: string; readonly relationType: string };
  readonly problem: string;
  readonly suggestion: string;
  /** The broken rule as one sentence, for `validation_errors`. */
  readonly rule: string;
}

export interface SaveRequest {
  readonly drafts: readonly EntityDraft[];
  readonly faults: readonly SaveFault[];
  readonly warnings: readonly string[];
}

/** Everything that can be judged without the thread; `save-checks.ts` judges the rest. */
export function readSaveRequest(entities: readonly unknown[], limits: Limits): SaveRequest {
  const faults: SaveFault[] = [];
  const warnings: string[] = [];
  if (entities.length === 0 || entities.length > ENTITIES_PER_CALL_MAX) {
    faults.push(wrongEntityCount(entities.length));
  }
  const drafts = entities
    .slice(0, ENTITIES_PER_CALL_MAX)
    .map((raw, index) => readEntity(raw, { index, limits, faults, warnings }));
  faults.push(...findRepeatedNames(drafts));
  return { drafts, faults, warnings };
}

interface Reading {
  readonly index: number;
  readonly limits: Limits;
  readonly faults: SaveFault[];
  readonly warnings: string[];
}

function readEntity(raw: unknown, reading: Reading): EntityDraft {
  const fields = isRecord(raw) ? raw : {};
  const name = typeof fields['name'] === 'string' ? normaliseName(fields['name']) : '';
  const report = faultReporter(name || `entities[${reading.index}]`, reading);
  if (!isRecord(raw)) {
    report({
      problem: `Expected an object, got ${nameType(raw)}.`,
      suggestion: 'Give each entity as { name, entityType, observations, relations }.',
    });
  } else {
    checkName(fields['name'], report);
    checkType(fields['entityType'], report);
    checkUnits(fields, report);
  }
  return {
    index: reading.index,
    name,
    entityType: readType(fields['entityType'], reading),
    observations: isRecord(raw) ? readObservations(fields['observations'], reading, report) : [],
    relations: isRecord(raw) ? readRelations(name, fields['relations'], report) : [],
    lacksRelations: isRecord(raw) && isNothing(fields['relations']),
    confidence: readUnit(fields['confidence']),
    importance: readUnit(fields['importance']),
  };
}

type Report = (fault: {
  problem: string;
  suggestion: string;
  rule?: string;
  observation?: string;
  relation?: { targetEntity: string; relationType: string };
}) => void;

function faultReporter(entity: string, { index, faults }: Reading): Report {
  return ({ rule, observation, relation, problem, suggestion }) => {
    faults.push({
      index,
      error: 'Validation failed',
      entity: cut(entity),
      ...(observation !== undefined && { observation: cut(observation, OBSERVATION_SHOWN_CHARS) }),
      ...(relation !== undefined && {
        relation: {
          targetEntity: cut(relation.targetEntity),
          relationType: cut(relation.relationType),
        },
      }),
      problem,
      suggestion,
      rule: rule ?? `Entity '${cut(entity)}': ${problem}`,
    });
  };
}

function checkName(value: unknown, report: Report): void {
  const problem = findTextProblem(value, ENTITY_NAME_CHARS_MAX);
  if (problem === undefined) return;
  report({
    problem: `Invalid name. ${problem}`,
    suggestion: `Give a name of 1-${ENTITY_NAME_CHARS_MAX} chars, and say the rest in observations.`,
  });
}

function checkType(value: unknown, report: Report): void {
  const problem = findTextProblem(value, ENTITY_TYPE_CHARS_MAX);
  if (problem === undefined) return;
  report({
    problem: `Invalid entityType. ${problem}`,
    suggestion: suggestEntityType(typeof value === 'string' ? value : ''),
  });
}

function checkUnits(fields: Record<string, unknown>, report: Report): void {
  for (const field of ['confidence', 'importance']) {
    const problem = findUnitProblem(fields[field]);
    if (problem === undefined) continue;
    report({
      problem: `Invalid ${field}. ${problem}`,
      suggestion: 'Give a number from 0 to 1, or leave it out.',
    });
  }
}

function readType(value: unknown, { warnings }: Reading): string {
  if (typeof value !== 'string') return '';
  const normalised = normaliseEntityType(value);
  warnings.push(...normalised.warnings);
  return normalised.entityType;
}

function readObservations(value: unknown, reading: Reading, report: Report): string[] {
  if (!checkList('observations', value, OBSERVATIONS_PER_ENTITY_MAX, report)) return [];
  const contents: string[] = [];
  for (const raw of value) {
    const found = findObservationProblem(raw, reading.limits);
    if (found)
      report({ ...found, observation: typeof raw === 'string' ? raw : JSON.stringify(raw) });
    else if (typeof raw === 'string') contents.push(normaliseContent(raw));
  }
  return contents;
}

function readRelations(name: string, value: unknown, report: Report): RelationDraft[] {
  if (isNothing(value)) return [];
  if (!checkList('relations', value, RELATIONS_PER_ENTITY_MAX, report)) return [];
  return value.flatMap((raw) => readRelation(name, raw, report) ?? []);
}

function readRelation(name: string, raw: unknown, report: Report): RelationDraft | undefined {
  if (!isRecord(raw)) {
    report({
      problem: `Invalid relation. Expected an object, got ${nameType(raw)}.`,
      suggestion: "Give each relation as { targetEntity: 'Portfolio', relationType: 'updates' }.",
    });
    return undefined;
  }
  const relation = {
    targetEntity: textOf(raw['targetEntity']),
    relationType: textOf(raw['relationType']),
  };
  const problems = [
    prefixed('targetEntity', findTextProblem(raw['targetEntity'], ENTITY_NAME_CHARS_MAX)),
    prefixed('relationType', findTextProblem(raw['relationType'], RELATION_TYPE_CHARS_MAX)),
    prefixed('importance', findUnitProblem(raw['importance'])),
  ].filter((problem) => problem !== undefined);
  const targetEntity = normaliseName(relation.targetEntity);
  if (targetEntity !== '' && targetEntity === name) {
    problems.push('An entity cannot have a relation to itself.');
  }
  for (const problem of problems) {
    report({
      relation,
      problem,
      suggestion: 'Name another entity in targetEntity, and the relation in at most 50 chars.',
    });
  }
  if (problems.length > 0) return undefined;
  return {
    targetEntity,
    relationType: relation.relationType.normalize('NFC').trim(),
    importance: readUnit(raw['importance']) ?? DEFAULT_RELATION_IMPORTANCE,
  };
}

function checkList(
  field: 'observations' | 'relations',
  value: unknown,
  itemsMax: number,
  report: Report,
): value is unknown[] {
  const noun = field.slice(0, -1);
  const isList = Array.isArray(value);
  if (isList && value.length > 0 && value.length <= itemsMax) return true;
  const found = isList ? `${value.length} given.` : `Expected a list, got ${nameType(value)}.`;
  const missing = `Missing ${field}. Every entity must have at least 1 ${noun}.`;
  report({
    problem: isNothing(value) ? missing : `Invalid ${field}. ${found}`,
    suggestion: `Give a list of 1-${itemsMax} ${field}.`,
  });
  return false;
}

function findRepeatedNames(drafts: readonly EntityDraft[]): SaveFault[] {
  const firstIndex = new Map<string, number>();
  const faults: SaveFault[] = [];
  for (const { name, index } of drafts) {
    const earlier = firstIndex.get(name);
    if (earlier === undefined) firstIndex.set(name, index);
    else if (name !== '') {
      const problem = `Entity '${cut(name)}' appears twice in the request (entries ${earlier} and ${index}).`;
      faults.push({
        index,
        error: 'Validation failed',
        entity: cut(name),
        problem,
        suggestion: 'Merge the two entries: one entry with all observations and relations.',
        rule: problem,
      });
    }
  }
  return faults;
}

function wrongEntityCount(count: number): SaveFault {
  const problem = `${count} entities given. Between 1 and ${ENTITIES_PER_CALL_MAX} can be saved in one call.`;
  return {
    index: 0,
    error: 'Validation failed',
    entity: '',
    problem,
    suggestion:
      count === 0
        ? 'Give at least one entity.'
        : 'Save the rest in further calls; relations may point to what is already saved.',
    rule: problem,
  };
}

function isNothing(value: unknown): boolean {
  return (value ?? '') === '' || (Array.isArray(value) && value.length === 0);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function readUnit(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined;
}

function prefixed(field: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `Invalid ${field}. ${problem}`;
}

/** What is refused may be of any length, and an answer is read by a model that pays for it. */
export function cut(text: string, charsMax = ENTITY_NAME_CHARS_MAX): string {
  if (countChars(text) <= charsMax) return text.toWellFormed();
  return `${Array.from(text.toWellFormed()).slice(0, charsMax).join('')}…`;
}

/** A model finds its observation again by its beginning. */
const OBSERVATION_SHOWN_CHARS = 300;
