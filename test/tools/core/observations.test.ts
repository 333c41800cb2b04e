import { expect, test } from 'vitest';
import { cluster, entity, hub } from '#test/builders.ts';
import { openTestMemory } from '#test/memory.ts';

const scripts = entity('Python Scripts', {
  observations: ['Uses python-docx 1.1.0', 'Uses lxml 6.0.2'],
});

test('an update makes a next version and keeps the old one in the history', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: [hub('Python Scripts'), scripts] });
  const [first] = await currentOf(memory, 'Python Scripts');

  const updated = await memory.call('update_observation', {
    entityName: 'Python Scripts',
    observationId: first.id,
    newContent: 'Uses python-docx 1.2.0',
  });

  expect(updated['observation']).toMatchObject({ version: 2, supersedes: first.id });
  expect(updated['superseded']).toMatchObject({
    id: first.id,
    superseded_by: updated['observation'].id,
  });
  const contents = (await currentOf(memory, 'Python Scripts')).map((o) => o.content);
  expect(contents).toEqual(['Uses lxml 6.0.2', 'Uses python-docx 1.2.0']);
});

test('the whole chain is found from any of its versions, oldest first', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: [hub('Python Scripts'), scripts] });
  const ids = [(await currentOf(memory, 'Python Scripts'))[0].id];
  for (const version of ['1.2.0', '1.3.0', '1.4.0']) {
    const { observation } = await memory.call('update_observation', {
      entityName: 'Python Scripts',
      observationId: ids.at(-1),
      newContent: `Uses python-docx ${version}`,
    });
    ids.push(observation.id);
  }

  for (const observationId of ids) {
    const { history, chains } = await memory.call('get_observation_history', {
      entityName: 'Python Scripts',
      observationId,
    });
    expect(history.map((o: any) => [o.id, o.version])).toEqual(
      ids.map((id, index) => [id, index + 1]),
    );
    expect(chains).toEqual([ids]);
  }
});

test('without an id the history has every fact of the entity', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: [hub('Python Scripts'), scripts] });

  const { history, chains } = await memory.call('get_observation_history', {
    entityName: 'python scripts',
  });
  const cut = await memory.call('get_observation_history', {
    entityName: 'Python Scripts',
    limit: 1,
  });

  expect(history).toHaveLength(2);
  expect(chains).toHaveLength(2);
  expect(cut).toMatchObject({ note: 'Only the first 1 facts; raise limit or give observationId.' });
});

test('a superseded version cannot be updated, and the error names the latest', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: [hub('Python Scripts'), scripts] });
  const [{ id }] = await currentOf(memory, 'Python Scripts');
  const update = (newContent: string) => ({
    entityName: 'Python Scripts',
    observationId: id,
    newContent,
  });
  const { observation } = await memory.call('update_observation', update('Uses python-docx 1.2.0'));

  const error = await memory.fail('update_observation', update('Uses python-docx 1.3.0'));

  expect(error).toMatchObject({
    code: 'conflict',
    message: `Observation '${id}' has already been superseded by '${observation.id}'.`,
    hint: `Update the latest version instead: observationId '${observation.id}'.`,
  });
});

test('an update keeps to the limits of an observation', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: [hub('Python Scripts'), scripts] });
  const [{ id: observationId, content }] = await currentOf(memory, 'Python Scripts');
  const update = (newContent: string) => ({
    entityName: 'Python Scripts',
    observationId,
    newContent,
  });

  expect(await memory.fail('update_observation', update('x'.repeat(151)))).toMatchObject({
    code: 'invalid_input',
    message: 'newContent: Too long (151 chars). Max 150 chars.',
  });
  expect((await memory.fail('update_observation', update(content))).hint).toMatch(
    /Nothing has to be done/,
  );
});

test('an id of another entity is not found', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada', 'Charles') });
  const [{ id: observationId }] = await currentOf(memory, 'Charles');

  for (const wrong of [observationId, 'obs_999', 'ent_1', "obs_1' OR 1=1", '']) {
    const error = await memory.fail('update_observation', {
      entityName: 'Ada',
      observationId: wrong,
      newContent: 'Likes engines',
    });
    expect(error).toMatchObject({
      code: 'not_found',
      message: `Observation '${wrong}' not found in entity 'Ada'.`,
    });
  }
});

test('a missing entity is answered with the closest names', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada Lovelace') });

  const error = await memory.fail('get_observation_history', { entityName: 'Ada Lovelance' });

  expect(error).toMatchObject({
    code: 'not_found',
    message: "No entity named 'Ada Lovelance' in this thread.",
    hint: "Closest names: 'Ada Lovelace'. Use search_nodes to look further.",
  });
});

test('added facts report duplicates and older facts that may be outdated', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: [hub('Python Scripts'), scripts] });
  const [older] = await currentOf(memory, 'Python Scripts');

  const { results } = await memory.call('add_observations', {
    observations: [
      {
        entityName: 'PYTHON SCRIPTS',
        contents: [
          'Uses lxml 6.0.2',
          'Uses python-docx 1.2.0',
          { content: 'Runs on Linux', confidence: 0.5 },
        ],
      },
    ],
  });

  expect(results).toEqual([
    {
      entityName: 'Python Scripts',
      addedObservations: ['Uses python-docx 1.2.0', 'Runs on Linux'],
      ids: [expect.stringMatching(/^obs_\d+$/), expect.stringMatching(/^obs_\d+$/)],
      skipped: ['Uses lxml 6.0.2'],
      similar: [{ id: older.id, content: 'Uses python-docx 1.1.0', similarTo: results[0].ids[0] }],
    },
  ]);
});

test('a fact of another day is reported beside the one that it may replace', async () => {
  await using memory = await openTestMemory();
  const observations = ['Ships on 17 December 2026.', 'Runs on Linux.'];
  await memory.call('save_memory', {
    entities: [hub('Python Scripts'), { ...scripts, observations }],
  });

  const { results } = await memory.call('add_observations', {
    observations: [{ entityName: 'Python Scripts', contents: ['Ships on 15 January 2027.'] }],
  });

  expect(results[0].similar).toMatchObject([{ content: 'Ships on 17 December 2026.' }]);
});

test('an added fact may supersede an older one', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: [hub('Python Scripts'), scripts] });
  const [older] = await currentOf(memory, 'Python Scripts');

  await memory.call('add_observations', {
    observations: [
      {
        entityName: 'Python Scripts',
        contents: [{ content: 'Uses python-docx 1.2.0', supersedes: older.id }],
      },
    ],
  });

  const { history } = await memory.call('get_observation_history', {
    entityName: 'Python Scripts',
    observationId: older.id,
  });
  expect(history.map((o: any) => o.version)).toEqual([1, 2]);
});

test('a batch of observations with faults changes nothing and names every one', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });

  const error = await memory.fail('add_observations', {
    observations: [
      {
        entityName: 'Ada',
        contents: ['Likes engines', 'no', { content: 'Likes tea', supersedes: 'obs_77' }],
      },
      { entityName: 'Ghost', contents: ['Is not there at all'] },
    ],
  });

  expect(error.message).toBe('3 problems; nothing was changed.');
  expect(error.faults?.map(({ path, problem }) => [path, problem])).toEqual([
    ['observations[1].entityName', "No entity named 'Ghost' in this thread."],
    ['observations[0].contents[1]', 'Observation too short (2 chars). Min 5.'],
    ['observations[0].contents[2].supersedes', "Observation 'obs_77' not found in entity 'Ada'."],
  ]);
  expect(await currentOf(memory, 'Ada')).toHaveLength(1);
});

test('one fact cannot be superseded twice in one call', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });
  const [{ id: supersedes }] = await currentOf(memory, 'Ada');

  const error = await memory.fail('add_observations', {
    observations: [
      {
        entityName: 'Ada',
        contents: [
          { content: 'Likes engines', supersedes },
          { content: 'Likes numbers', supersedes },
        ],
      },
    ],
  });

  expect(error.code).toBe('conflict');
  expect((await currentOf(memory, 'Ada')).map((o) => o.id)).toEqual([supersedes]);
});

async function currentOf(
  memory: Awaited<ReturnType<typeof openTestMemory>>,
  name: string,
): Promise<any[]> {
  const { entities } = await memory.call('open_nodes', { names: [name], detail: 'full' });
  return entities[0].observations;
}
