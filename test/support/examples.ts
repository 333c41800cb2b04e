/** The examples of the catalog, for tests that run them. */

/** An answer as examples print it: at one moment and of one thread, whatever the clock and the test say. */
export function asInExamples(output: unknown, threadId: string): unknown {
  const text = JSON.stringify(output)
    .replaceAll(/"\d{4}-\d{2}-\d{2}T[\d:.]+Z"/g, '"2026-01-20T10:00:00.000Z"')
    .replaceAll(/\b1[5-9]\d{11}\b|\b2\d{12}\b/g, '1768903200000')
    .replaceAll(/\b20\d{2}-\d{2}-\d{2}\b(?!T)/g, '2026-01-20')
    .replaceAll(/"bytes":\d+/g, '"bytes":270336')
    .replaceAll(/\bskein-\d{8}T\d{6}Z-[0-9a-f]{4}\b/g, 'skein-20260120T100000Z-1f3a')
    .replaceAll(threadId, 'example');
  return JSON.parse(text);
}
