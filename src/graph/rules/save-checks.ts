/** What is wrong with a `save_memory` request that only the thread can tell, and what to do about it. */
import { closestNames, foldName } from '#graph/names.ts';
import { cut, type EntityDraft, type SaveFault } from './save-request.ts';

/** What the thread knows of the names in a request. */
export interface NamesInThread {
  /** How many relations each entity has that the request names, by its exact name. */
  readonly known: ReadonlyMap<string, { readonly relationCount: number }>;
  /** Names of entities by their folded name, of those that the request comes near to. */
  readonly twins: ReadonlyMap<string, string>;
  /** Names that are worth suggesting. */
  readonly nearby: readonly string[];
}

/** One fault for each entity that would stay without any relation. */
export function checkRelations(
  drafts: readonly EntityDraft[],
  { known, nearby }: NamesInThread,
): SaveFault[] {
  const named = drafts.map(({ name }) => name).filter((name) => name !== '');
  return drafts
    .filter(({ lacksRelations }) => lacksRelations)
    .filter(({ name }) => (known.get(name)?.relationCount ?? 0) === 0)
    .map((draft) => {
      const candidates = [...named, ...nearby];
      return {
        ...faultOf(draft),
        problem: 'Missing relations. Every entity must have at least 1 relation.',
        suggestion: adviseRelation(candidates.find((name) => name !== draft.name)),
        rule: `Entity ${inQuotes(nameOf(draft))} must have at least 1 relation`,
      };
    });
}

function adviseRelation(target: string | undefined): string {
  return target === undefined
    ? 'Add relations to show connections: save the entity that it belongs to in the same call, such as a person or a project, and relate the two to each other.'
    : `Add relations to show connections: e.g., { targetEntity: ${inQuotes(target)}, relationType: 'belongs to' }`;
}

/** One fault for each target that is neither in the request nor in the thread, at the first relation to it. */
export function checkTargets(
  drafts: readonly EntityDraft[],
  { known, nearby }: NamesInThread,
): SaveFault[] {
  const requested = new Set(drafts.map(({ name }) => name));
  const missing = drafts.flatMap((draft) =>
    draft.relations
      .filter(({ targetEntity }) => !requested.has(targetEntity) && !known.has(targetEntity))
      .map((relation) => ({ draft, relation })),
  );
  const byTarget = Map.groupBy(missing, ({ relation }) => relation.targetEntity);
  return [...byTarget].flatMap(([target, [first, ...more]]) => {
    if (first === undefined) return [];
    const { draft, relation } = first;
    const others = [...new Set(more.map((one) => one.draft.name))].filter(
      (name) => name !== draft.name,
    );
    const problem = `Target entity ${inQuotes(target)} not found in request or thread${nameOthers(others)}`;
    return [
      {
        ...faultOf(draft),
        relation: { targetEntity: target, relationType: relation.relationType },
        problem,
        suggestion: adviseTarget(target, draft, [...requested, ...nearby]),
        rule: problem,
      },
    ];
  });
}

const OTHERS_SHOWN_MAX = 3;

function nameOthers(names: readonly string[]): string {
  if (names.length === 0) return '';
  const shown = names.slice(0, OTHERS_SHOWN_MAX).map(inQuotes).join(', ');
  return ` (named by ${shown}${names.length > OTHERS_SHOWN_MAX ? ' and others' : ''} too)`;
}

/** Everything that a new entry needs, so that it is not refused in its turn. */
function adviseTarget(target: string, draft: EntityDraft, candidates: readonly string[]): string {
  const close = closestNames(
    target,
    candidates.filter((name) => name !== draft.name),
  );
  const entry = `{ name: ${inQuotes(target)}, entityType: '…', observations: ['…'], relations: [{ targetEntity: ${inQuotes(draft.name)}, relationType: '…' }] }`;
  const add = `dd it to entities in the same call: ${entry}`;
  return close.length === 0
    ? `A${add}`
    : `Did you mean ${close.map(inQuotes).join(' or ')}? If not, a${add}`;
}

/** One fault for each new name that may be meant as another's. */
export function checkTwins(
  drafts: readonly EntityDraft[],
  { known, twins }: NamesInThread,
): SaveFault[] {
  const earlier = new Map<string, EntityDraft>();
  return drafts.flatMap((draft) => {
    const { name } = draft;
    if (name === '') return [];
    const folded = foldName(name);
    const first = earlier.get(folded);
    if (first === undefined) earlier.set(folded, draft);
    if (known.has(name)) return [];
    const stored = twins.get(folded);
    if (stored !== undefined && stored !== name) {
      return [
        twinFault(draft, `${inQuotes(stored)} in the thread`, `Use the name ${inQuotes(stored)}`),
      ];
    }
    if (first === undefined || first.name === name) return [];
    return [
      twinFault(draft, `${inQuotes(first.name)} in entry ${first.index}`, 'Merge the two entries'),
    ];
  });
}

function twinFault(draft: EntityDraft, twin: string, merge: string): SaveFault {
  const problem = `${inQuotes(draft.name)} differs only in case or accents from ${twin}.`;
  return {
    ...faultOf(draft),
    problem,
    suggestion: `${merge} if both are the same, or send allowTwin: true to save ${inQuotes(draft.name)} as another entity.`,
    rule: problem,
  };
}

function faultOf(draft: EntityDraft) {
  return { index: draft.index, error: 'Validation failed', entity: cut(nameOf(draft)) } as const;
}

function nameOf({ index, name }: EntityDraft): string {
  return name || `entities[${index}]`;
}

/** Whole, since it is to be copied; what is too long for a name is refused for that. */
function inQuotes(name: string): string {
  return `'${cut(name)}'`;
}
