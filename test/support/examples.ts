/** The examples of the catalog, for tests that run them. */
import type { Tool } from '#tools/define.ts';

/** The input of an example on another thread than the one that it was written for. */
export function inputOf(
  { example }: Tool,
  threadId: string,
  actor = 'local',
): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(example.input)
      .replaceAll('"example"', `"${threadId}"`)
      .replaceAll('"actor":"local"', `"actor":"${actor}"`),
  );
}

/** An answer as examples print it: at one moment and of one thread, whatever the clock and the test say. */
export function asInExamples(output: unknown, threadId: string): unknown {
  const text = JSON.stringify(output)
    .replaceAll(/"\d{4}-\d{2}-\d{2}T[\d:.]+Z"/g, '"2026-01-20T10:00:00.000Z"')
    .replaceAll(/\b1[5-9]\d{11}\b|\b2\d{12}\b/g, '1768903200000')
    .replaceAll(/\b20\d{2}-\d{2}-\d{2}\b(?!T)/g, '2026-01-20')
    .replaceAll(/"bytes":\d+/g, '"bytes":270336')
    .replaceAll(/\bskein-\d{8}T\d{6}Z-[0-9a-f]{4}\b/g, 'skein-20260120T100000Z-1f3a')
    .replaceAll(threadId, 'example')
    .replaceAll('"tester"', '"local"');
  return JSON.parse(text);
}
