/** Thousands of inputs that nobody should send, through the endpoint; `npm run fuzz` sends more. */
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import { expect, inject, test } from 'vitest';
import { checkInvariants } from '#store/invariants.ts';
import { openSql } from '#store/sql.ts';
import { selectTools } from '#tools/catalog.ts';
import { embedAll } from '#test/memory.ts';
import { fetchWorker, mcpRequest, readMessage, threadStub } from '#test/mcp.ts';
import { findOffence, hostileInputs } from '../../scripts/support/hostile-inputs.ts';

const THREADS = 4;
const CALLS_PER_THREAD = 250;
// A stopped thread refuses all the rest.
const tools = selectTools('all', false).tools.filter(({ name }) => name !== 'stop_database');

test.each(Array.from({ length: THREADS }, (_, index) => index))(
  'no input whatever brings about a failure of the server or a word from its inside (%i)',
  async (index) => {
    const threadId = `hostile-${crypto.randomUUID()}`;
    const { argumentsFor, pick } = hostileInputs(inject('propertySeed') * 1_000 + index);
    const outcomes = { ok: 0, refused: 0 };

    for (let call = 0; call < CALLS_PER_THREAD; call += 1) {
      const tool = pick(tools);
      const args = argumentsFor(tool);
      const { status, body } = await callTool(threadId, tool.name, args);
      const offence = findOffence(status, body);
      if (offence !== undefined)
        throw new Error(`${tool.name}(${args}) gives ${offence}:\n${body}`);
      outcomes[body.includes('"isError":true') ? 'refused' : 'ok'] += 1;
    }

    // Else it would not be the tools that were tried, but only their parsers, or the other way round.
    expect(outcomes.ok).toBeGreaterThan(CALLS_PER_THREAD / 5);
    expect(outcomes.refused).toBeGreaterThan(CALLS_PER_THREAD / 5);
    await embedAll(env.THREAD.getByName(threadStub(threadId).name ?? ''));
    const faults = await runInDurableObject(threadStub(threadId), (_, state) =>
      checkInvariants(openSql(state.storage)),
    );
    expect(faults).toEqual([]);
  },
);

/** The arguments go in as text: they have keys that an object literal would not keep. */
async function callTool(threadId: string, name: string, args: string) {
  const request = mcpRequest('legacy', 'tools/call', { name, arguments: '@' });
  const body = request.body.replace('"@"', () => args);
  const response = await fetchWorker(`/mcp/${threadId}?toolsets=all`, { ...request, body });
  const message = await readMessage(response);
  return { status: response.status, body: JSON.stringify(message) };
}
