/** The short form of `npm run torture`, and what its verifier sees and does not see. */
import { describe, expect, test } from 'vitest';
import { findViolations, type Journal, type Stored } from '../../scripts/support/journal.ts';
import { torture } from '../../scripts/support/torture.ts';

test('a server killed while it writes has every acknowledged save, and none by halves', async () => {
  const reports = await torture({ rounds: 3, writers: 6 });

  expect(reports.flatMap(({ violations }) => violations)).toEqual([]);
  expect(reports).toHaveLength(3);
  for (const { acknowledged } of reports) expect(acknowledged).toBeGreaterThan(0);
});

describe('the verifier', () => {
  test('is content with a thread that has everything once', () => {
    expect(findViolations(journal, stored)).toEqual([]);
  });

  test('is content when a save that was not acknowledged is absent', () => {
    const [save] = journal.saves;
    const unanswered = { ...save!, isAcknowledged: false };

    expect(findViolations({ ...journal, saves: [unanswered], chains: [] }, empty)).toEqual([]);
  });

  test('is content when an update that was not acknowledged is there', () => {
    const [chain] = journal.chains;

    const unanswered = { ...chain!, acknowledged: 1 };

    expect(findViolations({ ...journal, chains: [unanswered] }, stored)).toEqual([]);
  });

  test('sees that an acknowledged save is gone', () => {
    expect(findViolations({ ...journal, chains: [] }, empty)).toEqual([
      'Save one was acknowledged and is not there.',
    ]);
  });

  test.for([true, false])('sees a save by halves, acknowledged: %s', (isAcknowledged) => {
    const [save] = journal.saves;
    const saves = [{ ...save!, isAcknowledged }];
    const relations = stored.relations.slice(1);
    const total = { ...stored.total, relations: 1 };

    expect(findViolations({ ...journal, saves }, { ...stored, relations, total })).toEqual([
      "Save one is there by halves: 1 of 6 statements are missing, such as the relation 'Ada' knows 'Babbage'.",
    ]);
  });

  test('sees what nobody saved', () => {
    expect(findViolations({ ...journal, saves: [] }, stored)).toContain(
      "Nobody ever saved the entity 'Ada'.",
    );
  });

  test('sees counters that disagree with the graph', () => {
    const total = { ...stored.total, entities: 3 };

    expect(findViolations(journal, { ...stored, total })).toEqual([
      'The thread counts 3 entities and has 2.',
    ]);
  });

  test('sees that an acknowledged update is gone', () => {
    const histories = new Map([
      ['obs_3', [{ id: 'obs_3', content: 'Lives in Paris', version: 1 }]],
    ]);
    const entities = stored.entities.with(0, { name: 'Ada', observations: ['Lives in Paris'] });

    expect(findViolations(journal, { ...stored, entities, histories })).toEqual([
      'Observation obs_3 of Ada has 1 versions, and 2 were acknowledged.',
    ]);
  });

  test('sees versions that are not joined', () => {
    const [first, second] = stored.histories.get('obs_3') ?? [];
    const { supersedes: _, ...unjoined } = second!;
    const histories = new Map([['obs_3', [first!, unjoined]]]);

    expect(findViolations(journal, { ...stored, histories })).toEqual([
      'Observation obs_3 of Ada has a broken history.',
    ]);
  });

  test('sees two current versions of one observation', () => {
    const both = { name: 'Ada', observations: ['Lives in Paris', 'Lives in London'] };
    const entities = stored.entities.with(0, both);
    const total = { ...stored.total, observations: 3 };

    expect(findViolations(journal, { ...stored, entities, total })).toEqual([
      'Observation obs_3 of Ada is shown as ["Lives in Paris","Lives in London"], which is not its latest version.',
    ]);
  });
});

const journal: Journal = {
  threadId: 'example',
  saves: [
    {
      id: 'one',
      round: 1,
      entities: [
        {
          name: 'Ada',
          entityType: 'Person',
          observations: ['Lives in Paris'],
          relations: [{ targetEntity: 'Babbage', relationType: 'knows' }],
        },
        {
          name: 'Babbage',
          entityType: 'Person',
          observations: ['Builds engines'],
          relations: [{ targetEntity: 'Ada', relationType: 'knows' }],
        },
      ],
      isAcknowledged: true,
    },
  ],
  chains: [
    {
      round: 1,
      entityName: 'Ada',
      observationId: 'obs_3',
      contents: ['Lives in Paris', 'Lives in London'],
      acknowledged: 2,
      latestId: 'obs_5',
    },
  ],
};

const stored: Stored = {
  entities: [
    { name: 'Ada', observations: ['Lives in London'] },
    { name: 'Babbage', observations: ['Builds engines'] },
  ],
  relations: [
    { from: 'Ada', relationType: 'knows', to: 'Babbage' },
    { from: 'Babbage', relationType: 'knows', to: 'Ada' },
  ],
  total: { entities: 2, relations: 2, observations: 2 },
  histories: new Map([
    [
      'obs_3',
      [
        { id: 'obs_3', content: 'Lives in Paris', version: 1, superseded_by: 'obs_5' },
        { id: 'obs_5', content: 'Lives in London', version: 2, supersedes: 'obs_3' },
      ],
    ],
  ]),
};

const empty: Stored = {
  entities: [],
  relations: [],
  total: { entities: 0, relations: 0, observations: 0 },
  histories: new Map(),
};
