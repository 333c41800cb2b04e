/** `npm run demo`: what the memory does, told on a running server by the example of an invented lighthouse. */
import { styleText } from 'node:util';
import { CommandError } from './support/command-error.ts';
import { orExit, readCommandLine, readOrigin, readPort } from './support/command-line.ts';
import { connectThread, type ThreadConnection } from './support/thread-connection.ts';

interface SaveAnswer {
  readonly created: Record<'entities' | 'observations' | 'relations', number>;
  readonly quality_score: number;
  readonly errors?: readonly Record<'problem' | 'suggestion', string>[];
}

interface Graph {
  readonly entities: readonly {
    readonly name: string;
    readonly entityType: string;
    readonly observations: readonly string[];
  }[];
  readonly relations: readonly Relation[];
}

interface Relation {
  readonly from: string;
  readonly relationType: string;
  readonly to: string;
}

interface Version {
  readonly id: string;
  readonly content: string;
  readonly version: number;
  readonly timestamp: string;
  readonly superseded_by?: string;
}

interface Analytics {
  readonly top_important: readonly { entityName: string; importance: number }[];
  readonly most_connected: readonly { entityName: string; relationCount: number }[];
  readonly recent_changes: readonly { entityName: string; changeType: string }[];
  readonly orphaned_entities: readonly { entityName: string }[];
  readonly quality: Readonly<Record<string, number | null>>;
}

const USAGE = `npm run demo [-- --port 9000]

Saves, searches, corrects and reviews a small memory on a running server, in a new thread.

  --port <number>  the port of a server on this machine; 8787 when left out
  --url <address>  a server elsewhere, such as http://192.0.2.1:8787
  --help           prints this`;

/** Nobody and nothing in it exists. */
const LIGHTHOUSE = [
  {
    name: 'Mira Solvang',
    entityType: 'Person',
    observations: ['Leads the restoration', 'Answers messages in the evening'],
    relations: [{ targetEntity: 'Brannock lighthouse', relationType: 'restores' }],
    importance: 0.9,
  },
  {
    name: 'Tobin Ashgrove',
    entityType: 'Person',
    observations: ['Grinds optical glass', 'Needs the lift in March'],
    relations: [{ targetEntity: 'Great lens', relationType: 'repairs' }],
  },
  {
    name: 'Great lens',
    entityType: 'Object',
    observations: ['Weighs 310 kg', 'Was made in 1894'],
    relations: [{ targetEntity: 'Brannock lighthouse', relationType: 'belongs to' }],
  },
  {
    name: 'Brannock lighthouse',
    entityType: 'Building',
    observations: ['Opens to visitors on 14 May', 'Stands on the north pier'],
    relations: [{ targetEntity: 'Mira Solvang', relationType: 'is restored by' }],
    importance: 0.8,
  },
];

const { values } = readCommandLine(
  { name: 'npm run demo', usage: USAGE },
  { options: { port: { type: 'string' }, url: { type: 'string' } } },
);
const address = orExit(readAddress);
if (await isUp(address)) {
  await tell(address);
} else {
  console.error(
    `No server answers at ${address}. Start one by npm start, then try again. For another port: npm run demo -- --port <number>.`,
  );
  process.exitCode = 1;
}

function readAddress(): string {
  const { port = '8787', url } = values;
  if (url === undefined) return `http://localhost:${readPort(port)}`;
  if (values.port === undefined) return readOrigin('url', url);
  throw new CommandError('Give --port or --url, not both.');
}

async function isUp(url: string): Promise<boolean> {
  try {
    return (await fetch(new URL('/health', url))).ok;
  } catch {
    return false;
  }
}

async function tell(url: string): Promise<void> {
  const threadId = `demo-${new Date().toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '')}`;
  console.log(`Skein at ${url}, in the new thread ${styleText('bold', threadId)}.`);
  await using thread = await connectThread(url, threadId);
  await saveAll(thread);
  await saveWithFaults(thread);
  await search(thread, 'When may people visit?');
  await supersede(
    thread,
    'Brannock lighthouse',
    'Opens to visitors on 14 May',
    'Opens to visitors on 2 June',
  );
  await showPath(thread, 'Tobin Ashgrove', 'Mira Solvang');
  await showAnalytics(thread);
}

async function saveAll(thread: ThreadConnection): Promise<void> {
  printTitle('Save a piece of work: entities, facts about them, and how they relate');
  const { value } = await thread.call<SaveAnswer>('save_memory', { entities: LIGHTHOUSE });
  printTable(
    LIGHTHOUSE.map(({ name, entityType, observations }) => [
      name,
      entityType,
      observations.join('; '),
    ]),
  );
  printSaved(value);
}

async function saveWithFaults(thread: ThreadConnection): Promise<void> {
  printTitle('A careless save is refused as a whole, and the answer says how to do better');
  const essay = 'It has a lift for heavy parts. The lift runs in March. A key hangs at the door.';
  const workshop = {
    name: 'Workshop',
    entityType: 'Place',
    observations: [essay],
    relations: [],
  };
  const refused = await thread.call<SaveAnswer>('save_memory', { entities: [workshop] });
  console.log(`  Workshop, without relations: "${essay}"`);
  for (const { problem, suggestion } of refused.value.errors ?? []) {
    console.log(`  ${styleText('red', '✗')} ${problem}\n    ${styleText('dim', suggestion)}`);
  }
  console.log('  The same, as advised:');
  const relations = [{ targetEntity: 'Great lens', relationType: 'keeps' }];
  const observations = ['Has a lift for heavy parts', 'Its lift runs in March'];
  const { value } = await thread.call<SaveAnswer>('save_memory', {
    entities: [{ ...workshop, observations, relations }],
  });
  printSaved(value);
}

async function search(thread: ThreadConnection, query: string): Promise<void> {
  printTitle(`Ask: ${query}`);
  const { value } = await thread.call<Graph>('search_nodes', { query, limit: 1 });
  for (const { name, entityType, observations } of value.entities) {
    console.log(`  ${styleText('bold', name)} (${entityType})`);
    for (const observation of observations) console.log(`  - ${observation}`);
  }
  printTable(value.relations.map(toCells));
}

async function supersede(
  thread: ThreadConnection,
  entityName: string,
  oldContent: string,
  newContent: string,
): Promise<void> {
  printTitle('A fact changes: the new version takes over, the old one stays in the history');
  const { value: before } = await thread.call<{ history: Version[] }>('get_observation_history', {
    entityName,
  });
  const observationId = before.history.find(({ content }) => content === oldContent)?.id;
  await thread.call('update_observation', { entityName, observationId, newContent });
  const { value: after } = await thread.call<{ history: Version[] }>('get_observation_history', {
    entityName,
    observationId,
  });
  printTable(
    after.history.map(({ version, timestamp, content, superseded_by: next }) => [
      `version ${version}`,
      timestamp.slice(0, 19).replace('T', ' '),
      content,
      next === undefined ? styleText('green', 'current') : styleText('dim', 'superseded'),
    ]),
  );
}

async function showPath(thread: ThreadConnection, from: string, to: string): Promise<void> {
  printTitle(`How are ${from} and ${to} connected?`);
  const { value } = await thread.call<{ relations: Relation[] }>('find_relation_path', {
    from,
    to,
  });
  printTable(value.relations.map(toCells));
}

async function showAnalytics(thread: ThreadConnection): Promise<void> {
  printTitle('What the memory is like');
  const { value } = await thread.call<Analytics>('get_analytics', { limit: 3 });
  const { top_important: important, most_connected: connected, recent_changes: recent } = value;
  printTable([
    ['most important', ...important.map((one) => `${one.entityName} (${one.importance})`)],
    ['most connected', ...connected.map((one) => `${one.entityName} (${one.relationCount})`)],
    ['last changed', ...recent.map((one) => `${one.entityName} (${one.changeType})`)],
    ['orphans', value.orphaned_entities.map((one) => one.entityName).join(', ') || 'none'],
  ]);
  console.log('');
  printTable(
    Object.entries(value.quality).map(([name, figure]) => [
      name.replaceAll('_', ' '),
      String(figure ?? 'nothing to measure'),
    ]),
  );
}

function printTitle(title: string): void {
  console.log(`\n${styleText(['bold', 'cyan'], title)}`);
}

function printSaved({ created, quality_score: score }: SaveAnswer): void {
  const { entities, observations, relations } = created;
  console.log(
    `  ${styleText('green', '✓')} saved: entities ${entities}, observations ${observations}, relations ${relations}; quality ${score}`,
  );
}

/** Columns as wide as their widest cell; what is last in its row may be as long as it likes. */
function printTable(rows: readonly (readonly string[])[]): void {
  const widthOf = (column: number) =>
    Math.max(
      ...rows.filter((row) => column < row.length - 1).map((row) => (row[column] ?? '').length),
    );
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column < row.length - 1 ? cell.padEnd(widthOf(column)) : cell,
    );
    console.log(`  ${cells.join('  ')}`);
  }
}

function toCells({ from, relationType, to }: Relation): string[] {
  return [from, `— ${relationType} →`, to];
}
