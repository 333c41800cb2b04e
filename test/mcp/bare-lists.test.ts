import { expect, test } from 'vitest';
import { numbered, relation } from '#test/graph.ts';
import { speakMcp, type Connection } from '#test/mcp.ts';

test('a tool whose contract is a bare list has the list as its text and a field around it', async () => {
  const client = await connectToCrowd('bare-lists');

  const path = await client.callTool('find_path', { from: 'N0', to: 'N2' });
  const types = await client.callTool('list_entity_types');

  expect(path['content']).toEqual([{ type: 'text', text: '["N0","N1","N2"]' }]);
  expect(path['structuredContent']).toEqual({ path: ['N0', 'N1', 'N2'] });
  expect(types['content'][0].text).toBe('[{"type":"person","count":4}]');
});

test('what a bare list left out is said in a text block of its own', async () => {
  const client = await connectToCrowd('bare-lists-cut');

  const { content, structuredContent } = await client.callTool('search_relations', { limit: 1 });

  expect(JSON.parse(content[0].text)).toEqual([relation('N0', 'knows', 'N1')]);
  expect(content[1].text).toBe(structuredContent.note);
  expect(content[1].text).toMatch(/^There are more\. Call search_relations with cursor/);
});

/** To a thread of four people, each of whom knows the next. */
async function connectToCrowd(threadId: string): Promise<Connection> {
  const client = speakMcp('modern', `/mcp/${threadId}?toolsets=graph`);
  const names = numbered('N', 4);
  const relations = names.slice(1).map((to, index) => relation(names[index] ?? '', 'knows', to));
  await client.callTool('create_entities', {
    entities: names.map((name) => ({ name, entityType: 'person' })),
  });
  await client.callTool('create_relations', { relations });
  return client;
}
