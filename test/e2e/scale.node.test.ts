/** As much as the limits let in at once, through the real server: taken, told, and taken back. */
import { expect, inject, test } from 'vitest';

const THREAD = `${inject('serverUrl')}/api/threads/scale`;
const LINES = 50_000;
const ENTITIES = LINES / 5;

async function callTool(tool: string, input: object): Promise<Record<string, any>> {
  const response = await fetch(`${THREAD}/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  return (await response.json()) as Record<string, any>;
}

/** A file of the reference server: entities of one observation each, then relations between them. */
function lines(): string {
  const records = Array.from({ length: LINES }, (_, index) => {
    const name = `Entity ${index % ENTITIES}`;
    if (index < ENTITIES) {
      return { type: 'entity', name, entityType: 'Thing', observations: [`${name} was seen`] };
    }
    const to = `Entity ${(index + Math.floor(index / ENTITIES)) % ENTITIES}`;
    return { type: 'relation', from: name, to, relationType: 'stands near' };
  });
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

test('50,000 lines come in, the answer tells how far they have come, and one call takes them back', async () => {
  await callTool('create_entities', {
    entities: [{ name: 'Ada', entityType: 'Person', observations: ['Was here before'] }],
  });
  const before = await callTool('read_graph', { detail: 'full' });

  const response = await fetch(`${THREAD}/import?progress=1`, { method: 'POST', body: lines() });
  const answers = (await response.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

  const progress = answers.slice(0, -1).map((answer) => answer.progress.lines);
  expect(progress.length).toBeGreaterThan(3);
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  expect(progress.at(-1)).toBe(LINES);
  expect(answers.at(-1)).toMatchObject({
    result: { added: { entities: ENTITIES, facts: ENTITIES, relations: LINES - ENTITIES } },
  });
  const { changes } = await callTool('get_recent_changes', { limit: 1 });
  const undone = await callTool('undo_actor', { actor: changes[0].actor, since: 1 });
  expect(undone).toMatchObject({ undone: [{ revision: 2 }], total: 1, revision: 3 });
  expect(await callTool('read_graph', { detail: 'full' })).toEqual(before);
}, 300_000);
