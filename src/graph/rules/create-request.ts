/**
 * Reads what `create_entities`, `upsert_entities` and `create_relations` are given, of whatever
 * shape, and names every fault at once. Types are stored as given: only `save_memory` mends them.
 */
import type { Fault } from '#errors.ts';
import {
  ENTITY_NAME_CHARS_MAX,
  ENTITY_TYPE_CHARS_MAX,
  OBSERVATIONS_PER_ENTITY_MAX,
  RELATION_TYPE_CHARS_MAX,
  type Limits,
} from '#limits.ts';
import { suggestEntityType } from '#graph/entity-type.ts';
import { normaliseContent } from '#graph/fact.ts';
import { normaliseName } from '#graph/names.ts';
import { findObservationProblem } from './observation-rules.ts';
import { findTextProblem, nameType } from './text-rules.ts';

/** What to do when a list was refused. */
export const SEND_AGAIN = 'Nothing was changed. Fix these and send the whole list again.';

export interface NewEntity {
  readonly name: string;
  readonly entityType: string;
  /** Each once. */
  readonly observations: readonly string[];
}

export interface NewRelation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

/** What could be read of a request. With faults it is not to be used but to look for more of them. */
interface Request<Item> {
  readonly items: readonly Item[];
  readonly faults: readonly Fault[];
}

export function readNewEntities(given: readonly unknown[], limits: Limits): Request<NewEntity> {
  const faults: Fault[] = [];
  const items = given.map((raw, index) => {
    const fields = readFields(raw, `entities[${index}]`, ENTITY_FORM, faults);
    const text = textReader(fields, faults);
    const name = text('name', ENTITY_NAME_CHARS_MAX, NAME_ADVICE);
    return {
      name: normaliseName(name),
      entityType: normaliseType(text('entityType', ENTITY_TYPE_CHARS_MAX, suggestEntityType)),
      observations: readObservations(fields, limits, faults),
    };
  });
  return { items, faults };
}

export function readNewRelations(given: readonly unknown[]): Request<NewRelation> {
  const faults: Fault[] = [];
  const items = given.map((raw, index) => {
    const fields = readFields(raw, `relations[${index}]`, RELATION_FORM, faults);
    const text = textReader(fields, faults);
    return {
      from: normaliseName(text('from', ENTITY_NAME_CHARS_MAX, END_ADVICE)),
      to: normaliseName(text('to', ENTITY_NAME_CHARS_MAX, END_ADVICE)),
      relationType: normaliseType(text('relationType', RELATION_TYPE_CHARS_MAX, TYPE_ADVICE)),
    };
  });
  return { items, faults };
}

const ENTITY_FORM = 'Give each entity as { name, entityType, observations }.';
const RELATION_FORM = 'Give each relation as { from, to, relationType }.';
const NAME_ADVICE = () =>
  `Give a name of 1-${ENTITY_NAME_CHARS_MAX} chars, and say the rest in observations.`;
const END_ADVICE = () => 'Give the exact name of an entity in the thread.';
const TYPE_ADVICE = () => `Give a type of 1-${RELATION_TYPE_CHARS_MAX} chars, such as 'works at'.`;

/** The type as it is stored and looked for: as given, but for its Unicode form and outer spaces. */
export function normaliseType(type: string): string {
  return type.normalize('NFC').trim();
}

interface Fields {
  readonly path: string;
  /** Undefined for an item that is no object, of which nothing more is to be said. */
  readonly values: Readonly<Record<string, unknown>> | undefined;
}

function readFields(raw: unknown, path: string, form: string, faults: Fault[]): Fields {
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) {
    return { path, values: raw as Record<string, unknown> };
  }
  const problem = `Expected an object, got ${nameType(raw)}.`;
  faults.push({ path, problem, suggestion: form });
  return { path, values: undefined };
}

/** Reads one text after the other; '' for one that is at fault. */
function textReader({ path, values }: Fields, faults: Fault[]) {
  return (field: string, charsMax: number, suggest: (given: string) => string): string => {
    if (values === undefined) return '';
    const value = values[field];
    const problem = findTextProblem(value, charsMax);
    const given = typeof value === 'string' ? value : '';
    if (problem === undefined) return given;
    faults.push({ path: `${path}.${field}`, problem, suggestion: suggest(given) });
    return '';
  };
}

function readObservations({ path, values }: Fields, limits: Limits, faults: Fault[]): string[] {
  const value = values?.['observations'] ?? [];
  const at = `${path}.observations`;
  const suggestion = `Give a list of at most ${OBSERVATIONS_PER_ENTITY_MAX} facts.`;
  if (!Array.isArray(value)) {
    faults.push({ path: at, problem: `Expected a list, got ${nameType(value)}.`, suggestion });
    return [];
  }
  if (value.length > OBSERVATIONS_PER_ENTITY_MAX) {
    faults.push({ path: at, problem: `List of ${value.length} items.`, suggestion });
    return [];
  }
  const contents = value.flatMap((raw: unknown, position) => {
    const found = findObservationProblem(raw, limits);
    if (found === undefined) return typeof raw === 'string' ? [normaliseContent(raw)] : [];
    const { rule: problem, suggestion: advice } = found;
    faults.push({ path: `${at}[${position}]`, problem, suggestion: advice });
    return [];
  });
  return [...new Set(contents)];
}
