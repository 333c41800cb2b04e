/**
 * 120 ordinary questions to three small memories, asked through MCP: an answer must contain the fact
 * that answers the question. Half of the questions were held out while the search was tuned.
 */
import { beforeAll, expect, test } from 'vitest';
import { env } from 'cloudflare:workers';
import { threadObjectName } from '#thread/thread-address.ts';
import { speakMcp, type Connection } from '#test/mcp.ts';
import { estimateTokens } from '#graph/text/tokens.ts';
import { embedAll } from '#test/memory.ts';
import { CLUB } from './questions/club.ts';
import { PERSON } from './questions/person.ts';
import { PROJECT } from './questions/project.ts';
import type { Question, QuestionSet } from './questions/shape.ts';

const SETS = [PROJECT, PERSON, CLUB];
const connections = new Map<QuestionSet, Connection>();

async function remember(set: QuestionSet): Promise<Connection> {
  const threadId = `questions-${set.name}`;
  const connection = speakMcp('modern', `/mcp/${threadId}?toolsets=all`);
  const saved = await connection.callTool('save_memory', { entities: set.entities });
  expect(saved['isError']).toBeUndefined();
  for (const content of set.memories) await connection.callTool('store_memory', { content });
  await embedAll(env.THREAD.getByName(threadObjectName({ subject: 'local', threadId })));
  return connection;
}

beforeAll(async () => {
  for (const set of SETS) connections.set(set, await remember(set));
}, 60_000);

type Ask = (connection: Connection, query: string) => Promise<string>;

/** Whether each question was answered: those that were looked at, and those that were held out. */
async function askAll(ask: Ask): Promise<{ seen: boolean[]; heldOut: boolean[] }> {
  const seen: boolean[] = [];
  const heldOut: boolean[] = [];
  for (const set of SETS) {
    const connection = connections.get(set) as Connection;
    for (const [index, question] of set.questions.entries()) {
      const isAnswered = contains(question, await ask(connection, question.query));
      (index % 2 === 0 ? seen : heldOut).push(isAnswered);
    }
  }
  return { seen, heldOut };
}

function contains({ answers }: Question, text: string): boolean {
  return answers.some((answer) => text.includes(answer));
}

const shareOf = (answered: readonly boolean[]) => answered.filter(Boolean).length / answered.length;

const recall =
  (args: Record<string, unknown>): Ask =>
  async (connection, query) => {
    const { content } = await connection.callTool('recall', { query, ...args });
    return content[0].text;
  };

test('recall by its defaults contains the answer of at least 95 of 100 questions', async () => {
  const { seen, heldOut } = await askAll(recall({}));

  expect(shareOf(seen)).toBeGreaterThanOrEqual(0.95);
  expect(shareOf(heldOut)).toBeGreaterThanOrEqual(0.95);
});

test('a fifth of that budget, which holds some six facts of thirty, has that of every second', async () => {
  const { seen, heldOut } = await askAll(recall({ maxTokens: 250 }));

  expect(shareOf([...seen, ...heldOut])).toBeGreaterThanOrEqual(0.5);
});

test.each([
  ['search_nodes', 0.8],
  ['search', 0.75],
  ['search_memories', 0.75],
])(
  '%s by its defaults has the answer of most questions and is never empty',
  async (tool, least) => {
    const { seen, heldOut } = await askAll(async (connection, query) => {
      const { structuredContent } = await connection.callTool(tool, { query });
      expect(structuredContent.closeness).not.toBe('none');
      return JSON.stringify(structuredContent);
    });

    expect(shareOf([...seen, ...heldOut])).toBeGreaterThanOrEqual(least);
  },
);

test('whatever a client shows of an answer is within its budget', async () => {
  for (const set of SETS) {
    const connection = connections.get(set) as Connection;
    for (const maxTokens of [200, 300, 1_000, 3_000]) {
      for (const { query } of set.questions.slice(0, 4)) {
        const answer = await connection.callTool('recall', { query, maxTokens });
        const text = answer['content'].map((block: any) => block.text).join('\n');
        const json = JSON.stringify(answer['structuredContent']);
        expect(estimateTokens(text)).toBeLessThanOrEqual(maxTokens);
        expect(estimateTokens(json)).toBeLessThanOrEqual(maxTokens);
      }
    }
  }
});

test('the label says weak for what the memory does not hold, and close for its own words', async () => {
  const connection = connections.get(PROJECT) as Connection;
  const closenessOf = async (query: string) =>
    (await connection.callTool('recall', { query }))['structuredContent'].closeness;

  expect(await closenessOf('Which soup did grandmother like?')).toBe('weak');
  expect(await closenessOf('favourite opera singer')).toBe('weak');
  expect(await closenessOf('Who wrote the barcode scanner?')).toBe('close');
  expect(await closenessOf('What do you know about this project?')).toBe('close');
});

test.each([
  'Was weißt du über mich?',
  '¿Qué sabes de mí?',
  '私について何を知っていますか',
  'Що ти знаєш?',
])('a question in another language still shows what is remembered: %s', async (query) => {
  const connection = connections.get(PERSON) as Connection;
  const { content } = await connection.callTool('recall', { query });

  expect(content[0].text).toContain('Lives in Porto near the Douro');
});
