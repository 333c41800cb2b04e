/** How a script talks to a running server: as any MCP client does, on one thread. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export interface ThreadConnection extends AsyncDisposable {
  call<Value>(tool: string, input?: Record<string, unknown>): Promise<Answer<Value>>;
}

/** A refused call is an answer too; only a call that got none throws. */
export interface Answer<Value> {
  readonly value: Value;
  readonly isError: boolean;
  readonly text: string;
}

/** `origin` is such as `http://127.0.0.1:8787`. */
export async function connectThread(origin: string, threadId: string): Promise<ThreadConnection> {
  const client = new Client(
    { name: 'skein-script', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  );
  const url = new URL(`/mcp/${encodeURIComponent(threadId)}`, origin);
  await client.connect(new StreamableHTTPClientTransport(url));
  return {
    async call<Value>(name: string, input: Record<string, unknown> = {}) {
      const result = await client.callTool({ name, arguments: input });
      const [first] = result.content;
      return {
        value: result.structuredContent as Value,
        isError: result.isError === true,
        text: first?.type === 'text' ? first.text : '',
      };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
