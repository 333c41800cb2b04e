/** Backups outlive a thread and hold what was deleted since: they are for admins alone. */
import { env } from 'cloudflare:workers';
import { beforeAll, expect, test } from 'vitest';
import { OWNER_SUBJECT } from '#auth/principal.ts';
import { bearer, makeToken, ORIGIN, TOKEN_MODE } from '#test/auth.ts';
import { fetchWorker } from '#test/mcp.ts';
import { threadStub } from '#thread/thread-stub.ts';

const threadId = 'backup-files';
const AT = Date.UTC(2026, 0, 20, 3, 17);
const FILE = 'backup-20260120T031700Z.jsonl';

let tokens: Record<'read' | 'write' | 'admin', string>;

beforeAll(async () => {
  tokens = {
    read: await makeToken({ scopes: ['memory:read'], threads: [threadId] }),
    write: await makeToken({ scopes: ['memory:read', 'memory:write'], threads: [threadId] }),
    admin: await makeToken(),
  };
  const address = { subject: OWNER_SUBJECT, threadId };
  await callTool(tokens.admin, 'store_memory', { content: 'Was told in confidence' });
  await callTool(tokens.admin, 'export_database', {});
  await threadStub(env, address).backUp(AT, { threadId, actor: 'skein' });
  await callTool(tokens.admin, 'delete_thread', { confirm: threadId });
});

test.each(['read', 'write'] as const)(
  'a token that may %s is told of no backup, and gets none',
  async (scope) => {
    const token = tokens[scope];
    const download = await ask(token, `files/${FILE}`);
    const missing = await ask(token, 'files/none.jsonl');
    const list = await ask(token, 'files');
    const listed = await callTool(token, 'list_files', {});
    const imported = await callTool(token, 'import_database', { file: FILE });
    const guessed = await callTool(token, 'import_database', { file: 'none.jsonl' });

    expect([download.status, missing.status, list.status]).toEqual([403, 404, 200]);
    expect([listed.status, imported.status]).toEqual([200, 403]);
    expect(guessed.status).toBe(scope === 'read' ? 403 : 404);
    const answers = await Promise.all([missing, list, listed, guessed].map((one) => one.text()));
    for (const answer of answers) expect(answer).not.toContain('backup-2026');
    expect(answers[1]).toContain('skein-');
  },
);

test('an admin is told of the backup, and has it back', async () => {
  const missing = await ask(tokens.admin, 'files/none.jsonl');
  const list = await ask(tokens.admin, 'files');
  const listed = await callTool(tokens.admin, 'list_files', {});
  const download = await ask(tokens.admin, `files/${FILE}`);
  const imported = await callTool(tokens.admin, 'import_database', { file: FILE });

  for (const answer of [missing, list, listed]) expect(await answer.text()).toContain(FILE);
  expect(await download.text()).toContain('Was told in confidence');
  expect(await imported.json()).toMatchObject({ historyRestored: true });
});

function ask(token: string, path: string): Promise<Response> {
  return fetchWorker(
    `${ORIGIN}/api/threads/${threadId}/${path}`,
    { headers: bearer(token) },
    TOKEN_MODE,
  );
}

function callTool(token: string, tool: string, input: object): Promise<Response> {
  return fetchWorker(
    `${ORIGIN}/api/threads/${threadId}/tools/${tool}`,
    {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': 'application/json' },
      body: JSON.stringify(input),
    },
    TOKEN_MODE,
  );
}
