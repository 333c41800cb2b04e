import { expect, test } from 'vitest';
import { TOOLSETS } from '#tools/catalog.ts';
import { asInExamples, inputOf } from '#test/examples.ts';
import { openTestMemory } from '#test/memory.ts';

const tools = new Set(TOOLSETS.flatMap((toolset) => toolset.tools));

test.each([...tools].map((tool) => [tool.name, tool] as const))(
  'the example of %s is true',
  async (name, tool) => {
    const { example, host } = tool;
    await using memory = await openTestMemory({ subject: `example-${name}` });
    for (const step of example.given ?? []) await memory.call(step.tool, step.input);

    // A directory hears of a thread by its alarm.
    if (host === 'directory') await memory.register();

    const output = await memory.call(name, inputOf(tool, memory.threadId));

    expect(asInExamples(output, memory.threadId)).toEqual(example.output);
  },
);
