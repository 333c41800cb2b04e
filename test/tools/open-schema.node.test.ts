/** `?schema=open`: the same tools, with their limits in words alone. */
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '#limits.ts';
import { TOOLSETS } from '#tools/catalog.ts';
import { mapSchema, type JsonSchema } from '#tools/json-schema.ts';
import { listTool } from '#tools/listing.ts';
import { openSchema } from '#tools/open-schema.ts';

const TOOLS = [...new Set(TOOLSETS.flatMap(({ tools }) => tools))];

const LIMITS = new Set(
  'minItems maxItems minLength maxLength minimum maximum exclusiveMinimum'.split(' '),
);

test('the open form has the same fields, types and choices, and every limit in words', () => {
  for (const tool of TOOLS) {
    const options = { limits: DEFAULT_LIMITS, isBound: false };
    const full = listTool(tool, options);
    const open = listTool(tool, { ...options, form: 'open' });

    expect({ ...open, inputSchema: skeleton(open.inputSchema) }).toEqual({
      ...full,
      inputSchema: skeleton(full.inputSchema),
    });
    expect(keywordsIn(open.inputSchema).filter((keyword) => LIMITS.has(keyword))).toEqual([]);
    for (const limit of numbersIn(full.inputSchema)) {
      expect(JSON.stringify(open.inputSchema)).toMatch(new RegExp(`\\b${limit}\\b`));
    }
  }
});

test.each<[JsonSchema, JsonSchema]>([
  [
    { type: 'string', maxLength: 50 },
    { type: 'string', description: 'At most 50 chars.' },
  ],
  [
    { type: 'array', minItems: 1 },
    { type: 'array', description: 'At least 1 items.' },
  ],
  [
    { type: 'string', minLength: 5, maxLength: 150, description: 'A fact.' },
    { type: 'string', description: 'A fact. 5 to 150 chars.' },
  ],
  [
    { type: 'number', minimum: 0, maximum: 1, description: 'How sure, 0 to 1.' },
    { type: 'number', description: 'How sure, 0 to 1.' },
  ],
  [{ type: 'boolean' }, { type: 'boolean' }],
])('%j is published as %j', (full, open) => {
  expect(openSchema(full)).toEqual(open);
});

test('what a list inside an item needs is left to our refusal, and what a tool begins with is required', () => {
  const saveMemory = TOOLS.find(({ name }) => name === 'save_memory');
  const { required, properties } = openSchema(saveMemory?.inputSchema ?? {}) as any;

  expect(required).toEqual(['entities']);
  expect(properties.entities.items.required).toEqual(['name', 'entityType']);
});

/** Without limits, descriptions and what is required. */
function skeleton(schema: JsonSchema): JsonSchema {
  const isKept = (keyword: string) =>
    !LIMITS.has(keyword) && keyword !== 'description' && keyword !== 'required';
  return mapSchema(schema, (part) =>
    Object.fromEntries(Object.entries(part).filter(([keyword]) => isKept(keyword))),
  );
}

function keywordsIn(schema: JsonSchema): string[] {
  const found: string[] = [];
  mapSchema(schema, (part) => {
    found.push(...Object.keys(part));
    return part;
  });
  return found;
}

/** The greatest that each field may be. */
function numbersIn(schema: JsonSchema): number[] {
  const found: number[] = [];
  mapSchema(schema, (part) => {
    found.push(
      ...['maxItems', 'maxLength', 'maximum'].flatMap((key) => (part[key] as number) ?? []),
    );
    return part;
  });
  return found;
}
