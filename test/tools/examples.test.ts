import { expect, test } from 'vitest';
import { TOOLSETS } from '#tools/catalog.ts';
import { asInExamples } from '#test/examples.ts';
import { openTestMemory } from '#test/memory.ts';

const tools = new Set(TOOLSETS.flatMap((toolset) => toolset.tools));

test.each([...tools].map((tool) => [tool.name, tool] as const))(
  'the example of %s is true',
  async (name, { example }) => {
    await using memory = await openTestMemory();
    for (const step of example.given ?? []) await memory.call(step.tool, step.input);

    const output = await memory.call(name, example.input);

    expect(asInExamples(output, memory.threadId)).toEqual(example.output);
  },
);
