/** The clients that people use, over HTTP, against the server that `npm start` starts. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { PORTFOLIO } from '#tools/core/save-input.ts';
import {
  findFreePort,
  makeScratch,
  removeScratch,
  startDevServer,
  startWithNpm,
} from '../../scripts/support/dev-server.ts';

/** What the two SDKs have in common. */
interface McpClient {
  close(): Promise<void>;
  getInstructions(): string | undefined;
  getServerVersion(): { name: string } | undefined;
  listTools(): Promise<{ tools: { name: string; inputSchema: object }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<object>;
  readResource(request: { uri: string }): Promise<{ contents: object[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(request: {
    name: string;
    arguments: Record<string, string>;
  }): Promise<{ messages: object[] }>;
}

interface Connection extends AsyncDisposable {
  readonly client: McpClient;
  readonly protocolVersion: string | undefined;
  call<Value = unknown>(name: string, input: Record<string, unknown>): Promise<ToolResult<Value>>;
}

interface ToolResult<Value> {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent: Value;
  readonly isError?: boolean;
}

interface GraphPage {
  readonly entities: readonly { readonly name: string; readonly observations: string[] }[];
  readonly relations: readonly { readonly from: string; readonly to: string }[];
  readonly total: object;
  readonly nextCursor: string | null;
}

const CLIENTS = [
  ['SDK v1', '2025-11-25', connectV1],
  ['SDK v2', '2025-11-25', connectV2('legacy')],
  ['SDK v2', '2026-07-28', connectV2({ pin: '2026-07-28' })],
] as const;

const READING_TOOLS = [
  'find_relation_path',
  'get_analytics',
  'get_observation_history',
  'get_recent_changes',
  'list_entities',
  'list_threads',
  'open_nodes',
  'query_nodes',
  'read_graph',
  'recall',
  'search_nodes',
  'validate_memory',
];
const WRITING_TOOLS = [
  'add_observations',
  'delete_entities',
  'delete_observations',
  'delete_relations',
  'merge_entities',
  'save_memory',
  'undo_revision',
  'update_observation',
];

const server = { url: inject('serverUrl') };

describe.each(CLIENTS)('a client of %s at %s', (_sdk, revision, connect) => {
  test('the server introduces itself and lists its tools', async () => {
    await using skein = await connect(`${server.url}/mcp`);

    const { tools } = await skein.client.listTools();

    expect(skein.protocolVersion).toBe(revision);
    expect(skein.client.getServerVersion()?.name).toBe('skein');
    expect(skein.client.getInstructions()).toMatch(/^This server is a long-term memory/);
    expect(tools.map(({ name }) => name).toSorted()).toEqual(
      [...READING_TOOLS, ...WRITING_TOOLS].toSorted(),
    );
  });

  test('what was saved is found by a question', async () => {
    await using skein = await connect(`${server.url}/mcp`);
    const threadId = newThreadId();

    const saved = await skein.call('save_memory', { threadId, entities: PORTFOLIO });
    const search = async () => {
      const query = 'Which library versions are used?';
      const found = await skein.call('search_nodes', { threadId, query, limit: 1 });
      return found.structuredContent;
    };

    expect(saved.structuredContent).toMatchObject({
      success: true,
      created: { entities: 3, relations: 6, observations: 9 },
    });
    expect(JSON.parse(saved.content[0]?.text ?? '')).toEqual(saved.structuredContent);
    // The vectors follow the save.
    await expect.poll(search, { timeout: 10_000 }).toMatchObject({
      entities: [{ name: 'Python Scripts', entityType: 'CodeArtifact' }],
      nextOffset: 1,
    });
  });

  test('a refused save names every fault, says what to do, and stores nothing', async () => {
    await using skein = await connect(`${server.url}/mcp`);
    const threadId = newThreadId();
    const essay = 'Ada wrote the first program. She met Babbage in 1833. She loved horses.';
    const ada = { name: 'Ada', entityType: 'Person', observations: [essay], relations: [] };

    const refused = await skein.call('save_memory', { threadId, entities: [ada] });
    const listed = await skein.call('list_entities', { threadId });

    expect(refused.isError).toBe(true);
    expect(refused.structuredContent).toMatchObject({
      success: false,
      validation_errors: [
        'Too many sentences (3). Max 2. One fact per observation.',
        "Entity 'Ada' must have at least 1 relation",
      ],
      errors: [
        {
          index: 0,
          error: 'Validation failed',
          entity: 'Ada',
          observation: essay,
          suggestion: expect.stringContaining("1) 'Ada wrote the first program.'"),
        },
        { index: 0, entity: 'Ada', suggestion: expect.stringContaining('Add relations') },
      ],
    });
    expect(listed.structuredContent).toMatchObject({ entities: [], total: 0 });
  });

  test('a superseded observation stays in the history', async () => {
    await using skein = await connect(`${server.url}/mcp`);
    const threadId = await savePortfolio(skein);
    const fact = { threadId, entityName: 'Portfolio', observationId: 'obs_12' };

    await skein.call('update_observation', { ...fact, newContent: 'Total 24 records' });

    const { structuredContent } = await skein.call('get_observation_history', fact);
    expect(structuredContent).toMatchObject({
      entityName: 'Portfolio',
      history: [
        { id: 'obs_12', content: 'Total 21 records', version: 1, superseded_by: 'obs_13' },
        { id: 'obs_13', content: 'Total 24 records', version: 2, supersedes: 'obs_12' },
      ],
      chains: [['obs_12', 'obs_13']],
    });
  });

  test('analytics tell what is important and what is connected', async () => {
    await using skein = await connect(`${server.url}/mcp`);
    const threadId = await savePortfolio(skein);

    const { structuredContent } = await skein.call('get_analytics', { threadId, limit: 1 });

    expect(structuredContent).toMatchObject({
      top_important: [{ entityName: 'Andrii', importance: 1, observationCount: 3 }],
      most_connected: [{ entityName: 'Portfolio', relationCount: 4 }],
      orphaned_entities: [],
      quality: { saves_accepted: 1, saves_rejected: 0, relation_coverage: 1 },
    });
  });

  test('a thread can be read as a resource', async () => {
    await using skein = await connect(`${server.url}/mcp`);
    const threadId = await savePortfolio(skein);
    const uri = `memory://${threadId}/graph`;

    const { contents } = await skein.client.readResource({ uri });

    const [resource] = contents as { uri: string; mimeType: string; text: string }[];
    expect(resource).toMatchObject({ uri, mimeType: 'application/json' });
    expect(JSON.parse(resource?.text ?? '')).toMatchObject({
      entities: [{ name: 'Andrii' }, { name: 'Python Scripts' }, { name: 'Portfolio' }],
      total: { entities: 3, relations: 6, observations: 9 },
    });
  });

  test('prompts are listed and written for the thread', async () => {
    await using skein = await connect(`${server.url}/mcp`);

    const { prompts } = await skein.client.listPrompts();
    const { messages } = await skein.client.getPrompt({
      name: 'recall',
      arguments: { threadId: 'portfolio-2026', topic: 'Who maintains the portfolio?' },
    });

    expect(prompts.map(({ name }) => name)).toEqual(['remember', 'recall', 'review']);
    expect(messages).toMatchObject([
      { role: 'user', content: { text: expect.stringContaining("thread 'portfolio-2026'") } },
    ]);
    expect(JSON.stringify(messages)).toContain('Who maintains the portfolio?');
  });
});

test('two hundred saves made at once to one thread all arrive', async () => {
  await using skein = await connectV2({ pin: '2026-07-28' })(`${server.url}/mcp`);
  const threadId = newThreadId();
  await skein.call('save_memory', { threadId, entities: [relate('Hub', 'Rim'), relate('Rim')] });
  const spokes = Array.from({ length: 200 }, (_, index) => relate(`Spoke ${index}`));

  const saves = await Promise.all(
    spokes.map((spoke) => skein.call('save_memory', { threadId, entities: [spoke] })),
  );

  const created = { entities: 1, relations: 1, observations: 1 };
  const graph = await readWholeGraph(skein, threadId);
  const names = spokes.map(({ name }) => name);
  expect(saves.map(({ structuredContent }) => structuredContent)).toEqual(
    saves.map(() => expect.objectContaining({ success: true, created })),
  );
  expect(graph.entities.map(({ name }) => name).toSorted()).toEqual(
    ['Hub', 'Rim', ...names].toSorted(),
  );
  expect(graph.entities.map(({ name, observations }) => [name, observations])).toEqual(
    graph.entities.map(({ name }) => [name, [`${name} is part of the wheel`]]),
  );
  expect(
    graph.relations
      .filter(({ to }) => to === 'Hub')
      .map(({ from }) => from)
      .toSorted(),
  ).toEqual(['Rim', ...names].toSorted());
  expect(graph.total).toEqual({ entities: 202, relations: 202, observations: 202 });
});

describe('a read-only connection', () => {
  test('hides what writes and says so', async () => {
    await using skein = await connectV1(`${server.url}/mcp?readonly=1`);

    const { tools } = await skein.client.listTools();

    expect(tools.map(({ name }) => name).toSorted()).toEqual(READING_TOOLS);
    expect(skein.client.getInstructions()).toContain('This connection can read and not write.');
  });

  test.each(WRITING_TOOLS)('refuses %s', async (name) => {
    await using skein = await connectV1(`${server.url}/mcp?readonly=1`);

    const call = skein.call(name, { threadId: newThreadId() });

    await expect(call).rejects.toThrow(`Unknown tool '${name}'`);
  });
});

test('where the URL names the thread, no tool asks for it', async () => {
  const threadId = newThreadId();
  await using bound = await connectV1(`${server.url}/mcp/${threadId}`);
  await using open = await connectV1(`${server.url}/mcp`);

  const { tools } = await bound.client.listTools();
  await bound.call('save_memory', { entities: PORTFOLIO });
  const listed = await open.call('list_entities', { threadId });

  expect(JSON.stringify(tools)).not.toContain('threadId');
  expect(JSON.stringify(await open.client.listTools())).toContain('threadId');
  expect(listed.structuredContent).toMatchObject({ total: 3 });
});

describe('a directory of threads', () => {
  const stateDir = makeScratch();
  afterAll(() => removeScratch(stateDir));
  const threadId = newThreadId();

  test('is filled by npm start with --port and --persist-to', async () => {
    const port = await findFreePort();
    await using started = await startWithNpm(port, stateDir);
    await using skein = await connectV1(`http://localhost:${port}/mcp`);

    await skein.call('save_memory', { threadId, entities: PORTFOLIO });

    expect(new URL(started.url).port).toBe(String(port));
    expect(existsSync(join(stateDir, 'v3/do'))).toBe(true);
  });

  test('is found again by the next server', async () => {
    await using restarted = await startDevServer({ persistTo: stateDir });
    await using skein = await connectV1(`${restarted.url}/mcp`);

    const { entities, total } = await readWholeGraph(skein, threadId);

    expect(entities.map(({ name }) => name)).toEqual(PORTFOLIO.map(({ name }) => name));
    expect(total).toEqual({ entities: 3, relations: 6, observations: 9 });
  });
});

async function connectV1(url: string): Promise<Connection> {
  const client = new ClientV1({ name: 'skein-test', version: '1.0.0' });
  const transport = new TransportV1(new URL(url));
  await client.connect(transport);
  return toConnection(client, transport.protocolVersion);
}

function connectV2(mode: VersionNegotiationMode) {
  return async (url: string): Promise<Connection> => {
    const info = { name: 'skein-test', version: '1.0.0' };
    const client = new Client(info, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    return toConnection(client, client.getNegotiatedProtocolVersion());
  };
}

function toConnection(client: McpClient, protocolVersion: string | undefined): Connection {
  return {
    client,
    protocolVersion,
    async call<Value>(name: string, input: Record<string, unknown>) {
      return (await client.callTool({ name, arguments: input })) as ToolResult<Value>;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function newThreadId(): string {
  return `test-${randomUUID()}`;
}

async function savePortfolio(skein: Connection): Promise<string> {
  const threadId = newThreadId();
  await skein.call('save_memory', { threadId, entities: PORTFOLIO });
  return threadId;
}

function relate(name: string, targetEntity = 'Hub') {
  return {
    name,
    entityType: 'Part',
    observations: [`${name} is part of the wheel`],
    relations: [{ targetEntity, relationType: 'belongs to' }],
  };
}

async function readWholeGraph(skein: Connection, threadId: string) {
  const pages: GraphPage[] = [];
  let cursor: string | null = null;
  do {
    const page: ToolResult<GraphPage> = await skein.call('read_graph', {
      threadId,
      ...(cursor !== null && { cursor }),
    });
    pages.push(page.structuredContent);
    cursor = page.structuredContent.nextCursor;
  } while (cursor !== null);
  return {
    entities: pages.flatMap(({ entities }) => entities),
    relations: pages.flatMap(({ relations }) => relations),
    total: pages.at(-1)?.total,
    pages: pages.length,
  };
}
