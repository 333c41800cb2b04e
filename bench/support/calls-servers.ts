/** The two servers of `npm run bench:calls`, asked by the same client: ours and the reference of npm. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { findFreePort, startWithNpm } from '../../scripts/support/dev-server.ts';
import type { ToolCall } from './calls-thread.ts';

export interface CallsServer extends AsyncDisposable {
  /** Milliseconds from the request to the answer. Throws when the tool refuses the call. */
  time(call: ToolCall): Promise<number>;
}

/** A server that makes vectors in the background. */
export interface EmbeddingServer extends CallsServer {
  /** Texts that wait for their vector. */
  backlog(): Promise<number>;
  /** Resolves when no text waits. Asks every `pollMs` milliseconds, or a few times a second. */
  untilIdle(pollMs?: number): Promise<void>;
}

const TOOLSETS = 'core,graph';
const POLL_MS = 250;
const REFERENCE = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'),
);

/** The command of the README over Streamable HTTP, in a thread of its own; or a server that runs. */
export async function startOurs(url?: string): Promise<EmbeddingServer> {
  const state = makeDirectory();
  const server = url === undefined ? await startWithNpm(await findFreePort(), state) : undefined;
  const origin = url ?? server?.url ?? '';
  const threadId = `bench-calls-${Date.now()}`;
  const address = new URL(`/mcp/${threadId}?toolsets=${TOOLSETS}`, origin);
  const client = await connect(new StreamableHTTPClientTransport(address));

  async function backlog(): Promise<number> {
    const response = await fetch(new URL(`/api/threads/${threadId}/health`, origin));
    const { embeddingBacklog } = (await response.json()) as { embeddingBacklog: number };
    return embeddingBacklog;
  }

  return {
    time: (call) => timeCall(client, call),
    backlog,
    async untilIdle(pollMs = POLL_MS) {
      while ((await backlog()) > 0) await wait(pollMs);
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await server?.[Symbol.asyncDispose]();
      rmSync(state, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** `@modelcontextprotocol/server-memory` over stdio, with a memory file of its own. */
export async function startReference(): Promise<CallsServer> {
  const directory = makeDirectory();
  const client = await connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [REFERENCE],
      env: { MEMORY_FILE_PATH: join(directory, 'memory.jsonl') },
      stderr: 'ignore',
    }),
  );
  return {
    time: (call) => timeCall(client, call),
    async [Symbol.asyncDispose]() {
      await client.close();
      rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function connect(transport: Parameters<Client['connect']>[0]): Promise<Client> {
  const client = new Client({ name: 'skein-bench', version: '1.0.0' });
  await client.connect(transport);
  return client;
}

async function timeCall(client: Client, { tool, input }: ToolCall): Promise<number> {
  const ask = () => client.callTool({ name: tool, arguments: input });
  let startedAt = performance.now();
  const result = await ask().catch((error: unknown) => {
    // A connection that the server closed just when it was used again. No call does harm twice.
    if (!(error instanceof TypeError)) throw error;
    startedAt = performance.now();
    return ask();
  });
  const ms = performance.now() - startedAt;
  if (result.isError === true) throw new Error(`${tool}: ${JSON.stringify(result.content)}`);
  return ms;
}

function makeDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'skein-calls-'));
}
