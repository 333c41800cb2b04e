/** Inputs that once broke something, each with what went wrong. README.md says how one is added. */
import { expect, test } from 'vitest';
import { callWithText, faultsOf } from '#test/raw-calls.ts';
import { findOffence } from '../../scripts/support/hostile-inputs.ts';

interface Case {
  /** What happened before it was mended. */
  readonly wrong: string;
  /** Tool and arguments as JSON text, in their order. */
  readonly calls: readonly (readonly [tool: string, args: string])[];
  /** What the last answer has to say, as JSON text. */
  readonly expected: RegExp;
  /** What it must not say. */
  readonly unexpected?: RegExp;
}

const LONG = 'x'.repeat(100_000);

const CASES: readonly Case[] = [
  {
    wrong: 'SQLite stored half of a surrogate pair in a source as other characters',
    calls: [['create_node', String.raw`{"text":"One","source":"a\ud800"}`]],
    expected: /Source refused: Contains half of a surrogate pair/,
  },
  {
    wrong: 'metadata with the key __proto__ was stored, and left out of every answer',
    calls: [
      ['create_node', '{"text":"One","metadata":{"__proto__":{"a":1},"toString":null}}'],
      ['get_node', '{"node_id":"mem_1"}'],
    ],
    expected: /"metadata":\{"__proto__":\{"a":1\},"toString":null\}/,
  },
  {
    wrong: 'marks of other scripts were dropped, so that a bus was found under the name of a path',
    calls: [
      ['create_entities', '{"entities":[{"name":"パス","entityType":"Thing","observations":[]}]}'],
      ['open_nodes', '{"names":["バス"]}'],
    ],
    expected: /"missing":\["バス"\]/,
    unexpected: /パス/,
  },
  {
    wrong: 'a message that quoted half of a surrogate pair was no valid Unicode itself',
    calls: [['get_entity', String.raw`{"name":"\ud83d"}`]],
    expected: /"isError":true/,
    unexpected: /\\ud83d/i,
  },
  {
    wrong: 'a warning repeated a type of any length twice',
    calls: [
      [
        'save_memory',
        `{"entities":[{"name":"Ada","entityType":"${LONG}","observations":["Likes tea"],"relations":[{"targetEntity":"Bob","relationType":"knows"}]}]}`,
      ],
    ],
    expected: /"success":false/,
    unexpected: /x{200}/,
  },
  {
    wrong: 'the note on unknown arguments repeated names of any length and any number',
    calls: [['read_graph', `{"${LONG}":1,"detail":"no such"}`]],
    expected: /Unknown arguments: x{80}…/,
    unexpected: /x{200}/,
  },
  {
    wrong: 'a closest name was looked for by comparing letter by letter with a name of a megabyte',
    calls: [
      ['create_entities', '{"entities":[{"name":"Ada","entityType":"Person","observations":[]}]}'],
      ['get_entity', `{"name":"${'y'.repeat(1_000_000)}"}`],
    ],
    expected: /"isError":true/,
    unexpected: /y{200}/,
  },
  {
    wrong: 'making a superseded version active succeeded, and changed nothing',
    calls: [
      ['store_memory', '{"content":"Lives in Paris"}'],
      ['store_memory', '{"content":"Lives in London"}'],
      ['supersede_memory', '{"old_memory_id":"mem_1","new_memory_id":"mem_2"}'],
      ['update_node', '{"node_id":"mem_1","status":"active"}'],
    ],
    expected: /mem_1 has been superseded; change mem_2 instead/,
  },
  {
    wrong: 'what was created expired already was said to be there, and was in no answer',
    calls: [['create_node', '{"text":"Porto","expires_at":1}']],
    expected: /It has expired already/,
  },
  {
    wrong:
      'a thread that was named in another Unicode form than in the address was called another one',
    calls: [['read_graph', String.raw`{"threadId":"regression-cafe\u0301"}`]],
    expected: /"threadId":"regression-café"/,
  },
  {
    wrong:
      'an entity of the moment 0 was taken for one that is not active, and compact counted it wrongly',
    calls: [
      ['create_node', '{"text":"Ada","node_type":"Entity"}'],
      ['update_node', '{"node_id":"ent_1","expires_at":0}'],
      ['compact', '{}'],
    ],
    expected: /"mendedCounts":0/,
  },
  {
    wrong: 'an undo past a name which another entity has by now was an internal error',
    calls: [
      ['create_entities', '{"entities":[{"name":"Ada","entityType":"Person","observations":[]}]}'],
      ['rename_entity', '{"entityName":"Ada","newName":"Bob"}'],
      ['rename_entity', '{"entityName":"Bob","newName":"Cyd"}'],
      ['create_entities', '{"entities":[{"name":"Bob","entityType":"Robot","observations":[]}]}'],
      ['undo_revision', '{"revision":2,"cascade":true}'],
      ['list_entities', '{}'],
    ],
    expected: /"name":"Ada".*"name":"Bob"/,
    unexpected: /Cyd|u0001/,
  },
  {
    wrong: 'an undo that would bring back two entities of one name was an internal error',
    calls: [
      [
        'create_entities',
        '{"entities":[{"name":"Ada","entityType":"Person","observations":["Likes tea"]},{"name":"Bob","entityType":"Person","observations":[]}]}',
      ],
      ['merge_entities', '{"source":"Ada","target":"Bob"}'],
      ['create_entities', '{"entities":[{"name":"Ada","entityType":"Robot","observations":[]}]}'],
      ['delete_entities', '{"entityNames":["Ada","Bob"]}'],
      ['undo_revision', '{"revision":2,"cascade":true}'],
    ],
    expected: /"structuredContent":\{"undone":\[\{"revision":4.*\{"revision":3.*\{"revision":2/,
  },
  {
    wrong: 'a time of 1e400 was refused with: Expected a number, got a number',
    calls: [['create_node', '{"text":"One","expires_at":1e400}']],
    expected: /expires_at: Expected a number, got a number beyond 1.8e308/,
  },
  {
    wrong: 'a limit of -1e400 was refused with: Expected a number, got a number',
    calls: [['read_graph', '{"limit":-1e400}']],
    expected: /limit: Expected a (?:whole )?number, got a number beyond 1.8e308/,
  },
  {
    wrong: 'metadata with 1e400 was stored as null',
    calls: [['create_node', '{"text":"One","metadata":{"list":[{"big":1e400}]}}']],
    expected: /Metadata refused: Contains a number beyond 1.8e308/,
  },
  {
    wrong: 'metadata with -1e400 replaced what there was by null',
    calls: [
      ['create_node', '{"text":"One","metadata":{"big":1e300}}'],
      ['update_node', '{"node_id":"mem_1","metadata":{"big":-1e400}}'],
      ['get_node', '{"node_id":"mem_1"}'],
    ],
    expected: /"metadata":\{"big":1e\+300\}/,
  },
  {
    wrong: 'an undo past a summary of a session that has another by now was an internal error',
    calls: [
      ['add_memory', '{"prompt":"What?","thought":"","response":"That.","sessionId":"one"}'],
      ['summarize_sessions', '{}'],
      ['delete_all_summaries', '{"confirm":true}'],
      ['undo_revision', '{"revision":3}'],
      ['delete_all_summaries', '{"confirm":true}'],
      ['summarize_sessions', '{}'],
      ['undo_revision', '{"revision":2,"cascade":true}'],
    ],
    expected: /"undone":\[/,
  },
];

test.each(CASES.map((one) => [one.wrong, one] as const))('%s', async (_, one) => {
  const { calls, expected, unexpected } = one;
  const isNamed = calls.some(([, args]) => args.includes('threadId'));
  const threadId = isNamed ? 'regression-café' : `regression-${crypto.randomUUID()}`;
  let last = '';
  for (const [tool, args] of calls) {
    const { status, message } = await callWithText(threadId, tool, args);
    // The text repeats what is there as data, with its quotes escaped.
    const body = JSON.stringify(message.result ?? message.error);
    expect(findOffence(status, body)).toBeUndefined();
    last = body;
  }

  expect(last).toMatch(expected);
  if (unexpected !== undefined) expect(last).not.toMatch(unexpected);
  expect(await faultsOf(threadId)).toEqual([]);
});
