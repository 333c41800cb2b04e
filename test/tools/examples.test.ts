import { expect, test } from 'vitest';
import { TOOLSETS } from '#tools/catalog.ts';
import { asInExamples, inputOf } from '#test/examples.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import type { Tool } from '#tools/define.ts';

const tools = new Set(TOOLSETS.flatMap((toolset) => toolset.tools));

test.each([...tools].map((tool) => [tool.name, tool] as const))(
  'the example of %s is true',
  async (name, tool) => {
    const { effect, example, host } = tool;
    await using memory = await openTestMemory({ subject: `example-${name}` });
    for (const step of example.given ?? []) {
      await memory.call(step.tool, step.input);
      // Now and not at the end: a thread that is stopped makes no vectors.
      if (effect === 'read') await memory.embedAll();
    }

    // A directory hears of a thread by its alarm.
    if (host === 'directory') await memory.register();

    const output = await memory.call(name, inputOf(tool, memory.threadId, 'tester'));

    expect(asInExamples(output, memory.threadId)).toEqual(example.output);
    if (name !== 'delete_thread') await checkEffect(tool, memory);
  },
);

/** The last call has done no more than the tool's effect tells: scopes and hints follow from it. */
async function checkEffect({ name, effect }: Tool, memory: TestMemory): Promise<void> {
  const [last] = await memory.query('SELECT id, tool FROM revision ORDER BY id DESC LIMIT 1');
  const made =
    last?.['tool'] === name
      ? await memory.query('SELECT after FROM change WHERE revision_id = ?', last['id'])
      : [];
  if (effect === 'read' || effect === 'control') expect(made).toEqual([]);
  if (effect !== 'remove') expect(made.filter(({ after }) => after === null)).toEqual([]);
}
