/** The TypeScript SDK, v2. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ofSdk } from './of-sdk.mjs';

export async function connect(url) {
  const client = new Client({ name: 'test-clients', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return ofSdk(client);
}
