/** What a file would bring to a thread, found out before anything is sent. */

export interface KnownGraph {
  /** Names of entities. */
  readonly entities: ReadonlySet<string>;
  /** `factKey` of each current fact. */
  readonly facts: ReadonlySet<string>;
  /** `relationKey` of each relation. */
  readonly relations: ReadonlySet<string>;
}

export interface KindCount {
  readonly fresh: number;
  readonly known: number;
}

export interface ImportPreview {
  readonly lines: number;
  readonly entities: KindCount;
  readonly facts: KindCount;
  readonly relations: KindCount;
  /** Records that are none of these. */
  readonly others: number;
  /** The first 100. */
  readonly faults: readonly { readonly line: number; readonly problem: string }[];
  readonly faultCount: number;
}

export const factKey = (entity: string, content: string) => JSON.stringify([entity, content]);
export const relationKey = (from: string, to: string, type: string) =>
  JSON.stringify([from, to, type]);

const FAULTS_MAX = 100;
const OTHERS = new Set(['header', 'turn', 'summary', 'version', 'revision', 'change']);

/** Lines of the reference server, an export as one JSON object, or the file of `export_database`. */
export function previewImport(text: string, known: KnownGraph): ImportPreview {
  const tally = new Tally(known);
  const graph = readGraphObject(text);
  if (graph !== undefined) {
    for (const entity of graph.entities) tally.add({ type: 'entity', ...entity }, 1);
    for (const relation of graph.relations) tally.add({ type: 'relation', ...relation }, 1);
    return tally.result(text.split('\n').length);
  }
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (const [i, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const record = readRecord(line);
    if (record === undefined) tally.fault(i + 1, 'This line is not a JSON object.');
    else tally.add(record, i + 1);
  }
  return tally.result(lines.filter((line) => line.trim() !== '').length);
}

type LineRecord = Readonly<Record<string, unknown>>;

class Tally {
  readonly #known: KnownGraph;
  readonly #counts = {
    entities: { fresh: 0, known: 0 },
    facts: { fresh: 0, known: 0 },
    relations: { fresh: 0, known: 0 },
  };
  readonly #faults: { line: number; problem: string }[] = [];
  /** Names of the file's entities by their ids in it. */
  readonly #names = new Map<unknown, string>();
  #others = 0;
  #faultCount = 0;

  constructor(known: KnownGraph) {
    this.#known = known;
  }

  fault(line: number, problem: string): void {
    this.#faultCount++;
    if (this.#faults.length < FAULTS_MAX) this.#faults.push({ line, problem });
  }

  add(record: LineRecord, line: number): void {
    const { type } = record;
    if (type === 'entity') this.#addEntity(record, line);
    else if (type === 'relation') this.#addRelation(record, line);
    else if (type === 'fact') this.#addFact(record, line);
    else if (type === 'edge') this.#addEdge(record);
    else if (OTHERS.has(String(type))) this.#others++;
    else
      this.fault(
        line,
        `The type ${JSON.stringify(type) ?? 'of this line is missing and'} is not known.`,
      );
  }

  result(lines: number): ImportPreview {
    return {
      ...this.#counts,
      lines,
      others: this.#others,
      faults: this.#faults,
      faultCount: this.#faultCount,
    };
  }

  #count(kind: 'entities' | 'facts' | 'relations', key: string): void {
    this.#counts[kind][this.#known[kind].has(key) ? 'known' : 'fresh']++;
  }

  #addEntity({ id, name, entityType, observations }: LineRecord, line: number): void {
    if (typeof name !== 'string' || typeof entityType !== 'string') {
      this.fault(line, 'An entity needs a name and an entityType.');
      return;
    }
    this.#names.set(id, name);
    this.#count('entities', name);
    for (const content of Array.isArray(observations) ? observations : []) {
      if (typeof content === 'string') this.#count('facts', factKey(name, content));
      else this.fault(line, `An observation of ${name} is no text.`);
    }
  }

  #addFact({ entity, content, supersededBy }: LineRecord, line: number): void {
    const name = this.#names.get(entity);
    if (typeof content !== 'string') this.fault(line, 'A fact needs content.');
    else if (name === undefined || (supersededBy !== null && supersededBy !== undefined))
      this.#others++;
    else this.#count('facts', factKey(name, content));
  }

  #addRelation({ from, to, relationType }: LineRecord, line: number): void {
    if (typeof from !== 'string' || typeof to !== 'string' || typeof relationType !== 'string') {
      this.fault(line, 'A relation needs from, to and relationType.');
    } else this.#count('relations', relationKey(from, to, relationType));
  }

  #addEdge({ from, to, relationType }: LineRecord): void {
    const [source, target] = [this.#names.get(from), this.#names.get(to)];
    if (source === undefined || target === undefined) this.#others++;
    else this.#count('relations', relationKey(source, target, String(relationType)));
  }
}

function readRecord(line: string): LineRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as LineRecord)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for anything but one object with both lists. */
function readGraphObject(
  text: string,
): { entities: readonly LineRecord[]; relations: readonly LineRecord[] } | undefined {
  const value = readRecord(text);
  const { entities, relations } = value ?? {};
  if (!Array.isArray(entities) || !Array.isArray(relations)) return undefined;
  return { entities: entities as LineRecord[], relations: relations as LineRecord[] };
}
