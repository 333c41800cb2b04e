/** Calls through the endpoint whose arguments are no value of ours, and what they leave behind. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { checkInvariants, type InvariantFault } from '#store/derived/invariants.ts';
import { fetchWorker, mcpRequest, readMessage, threadStub } from './mcp.ts';
import { embedAll } from './memory.ts';
import { openTables } from './tables.ts';

/** The arguments go in as JSON text: they have keys and letters that an object literal would not keep. */
export async function callWithText(threadId: string, tool: string, args: string) {
  const request = mcpRequest('legacy', 'tools/call', { name: tool, arguments: '@' });
  const body = request.body.replace('"@"', () => args);
  const path = `/mcp/${encodeURIComponent(threadId)}?toolsets=all`;
  const response = await fetchWorker(path, { ...request, body });
  return { status: response.status, message: await readMessage(response) };
}

/** What is not as it must be in a thread, once all of it has its vectors. */
export async function faultsOf(threadId: string): Promise<InvariantFault[]> {
  const stub = threadStub(threadId);
  await embedAll(env.THREAD.getByName(stub.name ?? ''));
  return runInDurableObject(stub, (_, state) => checkInvariants(openTables(state.storage)));
}
