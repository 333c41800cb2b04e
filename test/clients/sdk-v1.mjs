/** The TypeScript SDK, v1. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ofSdk } from './of-sdk.mjs';

export async function connect(url) {
  const client = new Client({ name: 'test-clients', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return ofSdk(client);
}
