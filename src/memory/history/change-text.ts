/** Changes of rows as a reader wants them: what it was, which one, and what it said before and after. */
import { formatId } from '#graph/ids.ts';
import { toIsoTime } from '#graph/moment.ts';
import { CHANGE_TEXT_CHARS_MAX } from '#limits.ts';
import type { Change, Image } from '#store/history/changes.ts';
import type { Store } from '#store/store.ts';

export type ChangedThing =
  | 'entity'
  | 'observation'
  | 'memory'
  | 'relation'
  | 'turn'
  | 'summary'
  | 'version';

export interface ChangeView {
  readonly action: 'added' | 'changed' | 'deleted';
  readonly what: ChangedThing;
  /** Such as obs_12; null for a relation. */
  readonly id: string | null;
  /** The entity's name; for a relation both, such as `Ada -[knows]-> Bob`. Null for what has none. */
  readonly about: string | null;
  /** What it said before; of a row that stays only what has changed. Null for what is new. */
  readonly before: string | null;
  readonly after: string | null;
}

/** In the order of `changes`. Names are those of then, else those of now, else those in `gone`. */
export function viewChanges(
  store: Store,
  changes: readonly Change[],
  gone: ReadonlyMap<number, string> = new Map(),
): ChangeView[] {
  const names = readNames(store, changes, gone);
  return changes.map((change) => viewChange(change, names));
}

/** Such as `observation obs_4 of 'Ada'`. */
export function nameChange({ what, id, about }: ChangeView): string {
  if (what === 'relation') return `the relation ${about}`;
  if (what === 'entity') return `the entity '${about ?? id}'`;
  return `the ${what} ${id}${about === null ? '' : ` of '${about}'`}`;
}

/** Columns that say nothing to a reader, or what another says already. */
const SILENT = new Set(['updated_at', 'content_hash', 'is_atomic', 'folded_name', 'id', 'node_id']);

interface Names {
  nameOf(nodeId: unknown): string;
  entityOf(nodeId: number): number | null | undefined;
}

function viewChange(change: Change, names: Names): ChangeView {
  const { before, after } = change;
  const image = after ?? before ?? {};
  const what = whatIs(change, image, names);
  const view = { what, id: idOf(what, image), about: aboutWhat(what, image, names) };
  if (before === null || after === null) {
    return {
      ...view,
      action: before === null ? 'added' : 'deleted',
      before: before && cut(describeRow(what, before, names)),
      after: after && cut(describeRow(what, after, names)),
    };
  }
  const columns = Object.keys(after).filter(
    (column) => !SILENT.has(column) && before[column] !== after[column],
  );
  return {
    ...view,
    action: 'changed',
    before: cut(describeColumns(before, columns, names)),
    after: cut(describeColumns(after, columns, names)),
  };
}

function whatIs({ table }: Change, image: Image, names: Names): ChangedThing {
  switch (table) {
    case 'edge':
      return 'relation';
    case 'node_version':
      return 'version';
    case 'fact':
      return image['entity_id'] === null ? 'memory' : 'observation';
    case 'node':
      if (image['kind'] !== 'fact') return image['kind'] as ChangedThing;
      return names.entityOf(image['id'] as number) === null ? 'memory' : 'observation';
    default:
      return table as ChangedThing;
  }
}

function idOf(what: ChangedThing, image: Image): string | null {
  const nodeId = Number(image['node_id'] ?? image['id']);
  if (what === 'relation') return null;
  return formatId(what === 'version' ? 'memory' : what, nodeId);
}

function aboutWhat(what: ChangedThing, image: Image, names: Names): string | null {
  if (what === 'relation') {
    return `${names.nameOf(image['from_id'])} -[${image['type']}]-> ${names.nameOf(image['to_id'])}`;
  }
  if (what === 'entity') return names.nameOf(image['node_id'] ?? image['id']);
  if (what !== 'observation') return null;
  const entityId = image['entity_id'] ?? names.entityOf(Number(image['id'] ?? image['node_id']));
  return typeof entityId === 'number' ? names.nameOf(entityId) : null;
}

/** A whole row, by what it says. */
function describeRow(what: ChangedThing, image: Image, names: Names): string {
  switch (what) {
    case 'entity':
      return `${image['name']} (${image['type']})`;
    case 'observation':
    case 'memory':
      return String(image['content']);
    case 'relation':
      return `${names.nameOf(image['from_id'])} -[${image['type']}]-> ${names.nameOf(image['to_id'])}`;
    case 'turn':
      return String(image['prompt']);
    case 'summary':
      return `${image['title']}: ${image['summary']}`;
    case 'version':
      return `version ${image['version']}`;
  }
}

/** The columns that have changed; a text that is changed alone stands for itself. */
function describeColumns(image: Image, columns: readonly string[], names: Names): string {
  const [only] = columns;
  if (columns.length === 1 && (only === 'content' || only === 'name')) return String(image[only]);
  return columns
    .map((column) => `${column.replaceAll('_', ' ')}: ${describeValue(column, image, names)}`)
    .join(', ');
}

function describeValue(column: string, image: Image, names: Names): string {
  const value = image[column];
  if (value === null || value === undefined) return 'none';
  if (column === 'entity_id') return names.nameOf(value);
  if (column.endsWith('_at')) return toIsoTime(Number(value));
  if (column === 'supersedes' || column === 'superseded_by') {
    return formatId(image['entity_id'] === null ? 'memory' : 'observation', Number(value));
  }
  return String(value);
}

function cut(text: string): string {
  return shortenText(text, CHANGE_TEXT_CHARS_MAX);
}

/** The beginning of a text that is longer. */
export function shortenText(text: string, charsMax: number): string {
  const chars = Array.from(text);
  return chars.length <= charsMax ? text : `${chars.slice(0, charsMax).join('')}…`;
}

/** Names of every entity that the changes speak of, and the entities of their facts. */
function readNames(
  store: Store,
  changes: readonly Change[],
  gone: ReadonlyMap<number, string>,
): Names {
  const images = changes.flatMap(({ table, before, after }) =>
    [before, after].filter((image) => image !== null).map((image) => ({ table, image })),
  );
  const facts = images.filter(({ table, image }) => table === 'node' && image['kind'] === 'fact');
  const known = store.facts.entitiesOf(facts.map(({ image }) => Number(image['id'])));
  const wanted = images
    .flatMap(({ image }) => [
      image['entity_id'],
      image['from_id'],
      image['to_id'],
      image['id'],
      image['node_id'],
    ])
    .concat([...known.values()])
    .filter((id) => typeof id === 'number');
  const names = new Map([...gone, ...store.changes.entityNames([...new Set(wanted)])]);
  // Later images stand nearer to what was said then.
  for (const { table, image } of images) {
    if (table === 'entity') names.set(Number(image['node_id']), String(image['name']));
  }
  return {
    nameOf: (nodeId) => names.get(Number(nodeId)) ?? formatId('entity', Number(nodeId)),
    entityOf: (nodeId) => known.get(nodeId),
  };
}
