/** Inputs that nobody should send, through the endpoint; `PROPERTY_SCALE` and `npm run fuzz` send more. */
import { expect, inject, test } from 'vitest';
import { selectTools } from '#tools/catalog.ts';
import { callWithText, faultsOf } from '#test/raw-calls.ts';
import { findOffence, hostileInputs } from '../../scripts/support/hostile-inputs.ts';

const THREADS = 4;
const CALLS_PER_THREAD = 60 * inject('propertyScale');
// A stopped thread refuses all the rest.
const tools = selectTools('all', { isReadonly: false, isBound: true }).tools.filter(
  ({ name }) => name !== 'stop_database',
);

test.each(Array.from({ length: THREADS }, (_, index) => index))(
  'no input whatever brings about a failure of the server or a word from its inside (%i)',
  async (index) => {
    const threadId = `hostile-${crypto.randomUUID()}`;
    const { argumentsFor, pick } = hostileInputs(inject('propertySeed') * 1_000 + index);
    const outcomes = { ok: 0, refused: 0 };

    for (let call = 0; call < CALLS_PER_THREAD; call += 1) {
      const tool = pick(tools);
      const args = argumentsFor(tool);
      const { status, message } = await callWithText(threadId, tool.name, args);
      const body = JSON.stringify(message);
      const offence = findOffence(status, body);
      if (offence !== undefined)
        throw new Error(`${tool.name}(${args}) gives ${offence}:\n${body}`);
      outcomes[body.includes('"isError":true') ? 'refused' : 'ok'] += 1;
    }

    // Else it would not be the tools that were tried, but only their parsers, or the other way round.
    expect(outcomes.ok).toBeGreaterThan(CALLS_PER_THREAD / 5);
    expect(outcomes.refused).toBeGreaterThan(CALLS_PER_THREAD / 5);
    expect(await faultsOf(threadId)).toEqual([]);
  },
);
