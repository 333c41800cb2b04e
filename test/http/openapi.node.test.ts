import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { describeApi } from '#http/openapi/openapi.ts';
import { DEFAULT_LIMITS } from '#limits.ts';

const FACTS = { version: '1.2.3', limits: DEFAULT_LIMITS, origin: 'https://skein.example.net' };

/** `/health` has no guards, and so nothing to answer a client's mistake with. */
const EXCEPTIONS = { 'operation-4xx-response': 'off' } as const;

test('a linter finds nothing in the description of the API', async () => {
  expect(await lint(JSON.stringify(describeApi(FACTS)))).toEqual([]);
});

test('the linter does find what is wrong: an example that its schema does not allow', async () => {
  const text = JSON.stringify(describeApi(FACTS)).replace(
    '"value":{"names":["',
    '"value":{"names":[7,"',
  );

  expect(await lint(text)).toEqual([expect.stringMatching(/^no-invalid-media-type-examples: /)]);
});

test('the description is the same every time', () => {
  expect(JSON.stringify(describeApi(FACTS))).toBe(JSON.stringify(describeApi(FACTS)));
});

async function lint(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], rules: EXCEPTIONS });
  const problems = await lintFromString({ source, config });
  return problems.map(({ ruleId, message, location }) => {
    return `${ruleId}: ${message} (${location[0]?.pointer})`;
  });
}
