/** mcp-remote, which stands between a client of stdio (the SDK, v1) and a server of HTTP. */
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ofSdk } from './of-sdk.mjs';

export async function connect(url) {
  const client = new Client({ name: 'test-clients', version: '1.0.0' });
  const command = join(import.meta.dirname, 'node_modules/.bin/mcp-remote');
  await client.connect(new StdioClientTransport({ command, args: [url], stderr: 'ignore' }));
  return ofSdk(client);
}
