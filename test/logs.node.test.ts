/** The short form of `npm run fuzz`, on the real server, and what its log may say. */
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { fuzz, type FuzzReport } from '../scripts/support/fuzz.ts';
import { SECRET, findOffence, hostileInputs } from '../scripts/support/hostile-inputs.ts';
import { selectTools } from '#tools/catalog.ts';

const CALLS = 250;

describe('a server that is sent whatever schemas allow, and what they do not', () => {
  let report: FuzzReport;

  beforeAll(async () => {
    report = await fuzz({ calls: CALLS, seed: inject('propertySeed') });
  });

  test('answers each call decently, and its threads stay sound', () => {
    expect(report.offences).toEqual([]);
    expect(report.faults).toEqual([]);
    expect(report.outcomes.ok).toBeGreaterThan(CALLS / 5);
    expect(report.outcomes.refused).toBeGreaterThan(CALLS / 5);
  });

  test('was told the secret many times, and never wrote it to its log', () => {
    expect(report.secretsSent).toBeGreaterThan(10);
    expect(report.log).not.toContain(SECRET);
  });

  test('logs a line of known fields for each call', () => {
    const lines = report.log
      .split('\n')
      .filter((line) => line.includes('"event":"tool_call"'))
      .map((line) => JSON.parse(line.slice(line.indexOf('{'))));

    expect(lines.length).toBeGreaterThan(CALLS / 2);
    for (const line of lines) {
      expect(line).toEqual({
        event: 'tool_call',
        thread: expect.stringMatching(/^[0-9a-f]{12}$/),
        tool: expect.stringMatching(/^[a-z_]+$/),
        outcome: expect.stringMatching(/^[a-z_]+$/),
        ms: expect.any(Number),
        rowsRead: expect.any(Number),
        rowsWritten: expect.any(Number),
        revision: line.revision === null ? null : expect.any(Number),
      });
    }
  });
});

test('the same seed makes the same inputs, and another seed others', () => {
  const { tools } = selectTools('all', false);
  const inputsOf = (seed: number) => {
    const { argumentsFor } = hostileInputs(seed);
    return tools.map(argumentsFor);
  };

  expect(inputsOf(1)).toEqual(inputsOf(1));
  expect(inputsOf(1)).not.toEqual(inputsOf(2));
  for (const input of inputsOf(3)) expect(JSON.parse(input)).toBeTypeOf('object');
});

test.each([
  [500, '{}', true],
  [200, '{"text":"Internal error (reference 12ab34cd)."}', true],
  [200, '{"text":"no such column: foo"}', true],
  [200, '{"text":"UNIQUE constraint failed: entity.name"}', true],
  [400, '{"message":"limit: \'x\' is no number."}', false],
])('an answer of status %i with %s is an offence: %s', (status, body, isOffence) => {
  expect(findOffence(status, body) !== undefined).toBe(isOffence);
});
