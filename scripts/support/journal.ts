/** What writers did to a thread, and so what must be found there whenever the server ends. */
export interface EntityInput {
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly string[];
  readonly relations: readonly { readonly targetEntity: string; readonly relationType: string }[];
}

export interface Save {
  readonly id: string;
  readonly round: number;
  readonly entities: readonly EntityInput[];
  isAcknowledged: boolean;
}

/** The versions of one observation, the one of the save first. */
export interface Chain {
  readonly round: number;
  readonly entityName: string;
  readonly observationId: string;
  /** As they were sent; the server must have the first `acknowledged`, and may have one more. */
  readonly contents: string[];
  acknowledged: number;
  /** The id of the last version that was acknowledged. */
  latestId: string;
}

export interface Journal {
  readonly threadId: string;
  readonly saves: Save[];
  readonly chains: Chain[];
}

export interface Version {
  readonly id: string;
  readonly content: string;
  readonly version: number;
  readonly supersedes?: string;
  readonly superseded_by?: string;
}

/** A whole thread as the tools tell it. */
export interface Stored {
  readonly entities: readonly { readonly name: string; readonly observations: readonly string[] }[];
  readonly relations: readonly {
    readonly from: string;
    readonly to: string;
    readonly relationType: string;
  }[];
  readonly total: {
    readonly entities: number;
    readonly relations: number;
    readonly observations: number;
  };
  /** By the id of the first version. */
  readonly histories: ReadonlyMap<string, readonly Version[]>;
}

/** One sentence for each promise that was broken. */
export function findViolations(journal: Journal, stored: Stored): string[] {
  const found = new Set(storedStatements(journal, stored));
  return [
    ...journal.saves.flatMap((save) => findSaveViolation(save, found)),
    ...journal.chains.flatMap((chain) => findChainViolations(chain, stored)),
    ...findStrangers(journal, found),
    ...findMiscounts(stored),
  ];
}

export function isStored({ entities }: Save, stored: Stored): boolean {
  return stored.entities.some(({ name }) => name === entities[0]?.name);
}

/** Everything that a save says, each piece by itself. */
function saveStatements({ entities }: Save): string[] {
  return entities.flatMap(({ name, observations, relations }) => [
    entityStatement(name),
    ...observations.map((content) => observationStatement(name, content)),
    ...relations.map((relation) =>
      relationStatement(name, relation.relationType, relation.targetEntity),
    ),
  ]);
}

/** A superseded version counts as found: it is in the history. */
function storedStatements({ chains }: Journal, stored: Stored): string[] {
  return [
    ...stored.entities.flatMap(({ name, observations }) => [
      entityStatement(name),
      ...observations.map((content) => observationStatement(name, content)),
    ]),
    ...stored.relations.map(({ from, relationType, to }) =>
      relationStatement(from, relationType, to),
    ),
    ...chains.flatMap(({ entityName, observationId }) =>
      historyOf(stored, observationId).map(({ content }) =>
        observationStatement(entityName, content),
      ),
    ),
  ];
}

function findSaveViolation(save: Save, found: ReadonlySet<string>): string[] {
  const statements = saveStatements(save);
  const missing = statements.filter((statement) => !found.has(statement));
  if (missing.length === 0) return [];
  if (missing.length === statements.length) {
    return save.isAcknowledged ? [`Save ${save.id} was acknowledged and is not there.`] : [];
  }
  const share = `${missing.length} of ${statements.length} statements are missing`;
  return [`Save ${save.id} is there by halves: ${share}, such as ${missing[0]}.`];
}

function findChainViolations(chain: Chain, stored: Stored): string[] {
  const { entityName, observationId, contents, acknowledged } = chain;
  const versions = historyOf(stored, observationId);
  const expected = contents.slice(0, versions.length).map((content, index) => ({
    content,
    version: index + 1,
    supersedes: versions[index - 1]?.id,
    superseded_by: versions[index + 1]?.id,
  }));
  const told = versions.map(({ id: _, ...version }) => ({
    content: version.content,
    version: version.version,
    supersedes: version.supersedes,
    superseded_by: version.superseded_by,
  }));
  const current = stored.entities
    .find(({ name }) => name === entityName)
    ?.observations.filter((content) => contents.includes(content));
  const where = `Observation ${observationId} of ${entityName}`;
  return [
    versions.length < acknowledged &&
      `${where} has ${versions.length} versions, and ${acknowledged} were acknowledged.`,
    JSON.stringify(told) !== JSON.stringify(expected) && `${where} has a broken history.`,
    JSON.stringify(current) !== JSON.stringify([versions.at(-1)?.content]) &&
      `${where} is shown as ${JSON.stringify(current)}, which is not its latest version.`,
  ].filter((violation) => violation !== false);
}

function findStrangers({ saves, chains }: Journal, found: ReadonlySet<string>): string[] {
  const known = new Set([
    ...saves.flatMap(saveStatements),
    ...chains.flatMap(({ entityName, contents }) =>
      contents.map((content) => observationStatement(entityName, content)),
    ),
  ]);
  return [...found]
    .filter((statement) => !known.has(statement))
    .map((statement) => `Nobody ever saved ${statement}.`);
}

/** The counters are kept in the transaction of each save. */
function findMiscounts({ entities, relations, total }: Stored): string[] {
  const counted = {
    entities: entities.length,
    relations: relations.length,
    observations: entities.reduce((sum, { observations }) => sum + observations.length, 0),
  };
  return (['entities', 'relations', 'observations'] as const)
    .filter((noun) => counted[noun] !== total[noun])
    .map((noun) => `The thread counts ${total[noun]} ${noun} and has ${counted[noun]}.`);
}

function historyOf({ histories }: Stored, observationId: string): readonly Version[] {
  return histories.get(observationId) ?? [];
}

function entityStatement(name: string): string {
  return `the entity '${name}'`;
}

function observationStatement(name: string, content: string): string {
  return `the observation '${content}' of '${name}'`;
}

function relationStatement(from: string, relationType: string, to: string): string {
  return `the relation '${from}' ${relationType} '${to}'`;
}
