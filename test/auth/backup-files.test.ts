/** Backups and exports outlive a thread and hold what was deleted since: then they are for admins alone. */
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
/** What `export_database` wrote before the thread was deleted. */
let exported: string;
let healthchecks: Record<'read' | 'admin', Record<string, any>>;

beforeAll(async () => {
  tokens = {
    read: await makeToken({ scopes: ['memory:read'], threads: [threadId] }),
    write: await makeToken({ scopes: ['memory:read', 'memory:write'], threads: [threadId] }),
    admin: await makeToken(),
  };
  const address = { subject: OWNER_SUBJECT, threadId };
  await callTool(tokens.admin, 'store_memory', { content: 'Was told in confidence' });
  exported = await exportFile();
  await threadStub(env, address).backUp(AT, { threadId, actor: 'skein' });
  healthchecks = {
    read: await (await callTool(tokens.read, 'healthcheck', {})).json(),
    admin: await (await callTool(tokens.admin, 'healthcheck', {})).json(),
  };
  await callTool(tokens.admin, 'delete_thread', { confirm: threadId });
});

test('healthcheck tells everybody when the thread was backed up, and names the file to admins alone', () => {
  const backup = { enabled: true, lastAt: '2026-01-20T03:17:00.000Z', readable: true };

  expect(healthchecks.read['backup']).toEqual({ ...backup, file: null });
  expect(healthchecks.admin['backup']).toEqual({ ...backup, file: FILE });
});

test.each(['read', 'write'] as const)(
  'once the thread is deleted, a token that may %s is told of no file of it, and gets none',
  async (scope) => {
    const token = tokens[scope];
    const download = await ask(token, `files/${FILE}`);
    const ofExport = await ask(token, `files/${exported}`);
    const missing = await ask(token, 'files/none.jsonl');
    const list = await ask(token, 'files');
    const listed = await callTool(token, 'list_files', {});
    const imported = await callTool(token, 'import_database', { file: FILE });
    const reimported = await callTool(token, 'import_database', { file: exported });
    const guessed = await callTool(token, 'import_database', { file: 'none.jsonl' });

    expect([download.status, ofExport.status, missing.status]).toEqual([403, 404, 404]);
    expect([list.status, listed.status, imported.status]).toEqual([200, 200, 403]);
    expect(guessed.status).toBe(scope === 'read' ? 403 : 404);
    expect(reimported.status).toBe(guessed.status);
    const answers = await Promise.all([missing, list, listed, guessed].map((one) => one.text()));
    for (const answer of answers) expect(answer).not.toMatch(/backup-2026|skein-\d/);
    expect(JSON.parse(answers[1] ?? '')).toMatchObject({ files: [], total: 0 });
  },
);

test('a thread that takes the id of a deleted one shows its own files, and those before to admins', async () => {
  await callTool(tokens.write, 'store_memory', { content: 'Begun with the same id' });
  const own = await exportFile();

  const list = await ask(tokens.read, 'files');
  const ofAdmin = await ask(tokens.admin, 'files');
  const before = await ask(tokens.write, `files/${exported}`);
  const after = await ask(tokens.write, `files/${own}`);
  const takenBack = await callTool(tokens.write, 'import_database', { file: exported });

  expect(namesIn(await list.json())).toEqual([own]);
  expect(namesIn(await ofAdmin.json()).toSorted()).toEqual([FILE, exported, own].toSorted());
  expect([before.status, takenBack.status, after.status]).toEqual([404, 404, 200]);
  expect(await after.text()).not.toContain('Was told in confidence');
  await callTool(tokens.admin, 'delete_thread', { confirm: threadId });
});

test('an admin is told of the files of the deleted thread, and has it back', async () => {
  const missing = await ask(tokens.admin, 'files/none.jsonl');
  const list = await ask(tokens.admin, 'files');
  const listed = await callTool(tokens.admin, 'list_files', {});
  const download = await ask(tokens.admin, `files/${FILE}`);
  const ofExport = await ask(tokens.admin, `files/${exported}`);
  const imported = await callTool(tokens.admin, 'import_database', { file: FILE });

  for (const answer of [missing, list, listed]) expect(await answer.text()).toContain(FILE);
  expect(await download.text()).toContain('Was told in confidence');
  expect(await ofExport.text()).toContain('Was told in confidence');
  expect(await imported.json()).toMatchObject({ historyRestored: true });
});

/** Its name. */
async function exportFile(): Promise<string> {
  const answer = await callTool(tokens.admin, 'export_database', {});
  return ((await answer.json()) as { file: string }).file;
}

function namesIn(list: unknown): string[] {
  return (list as { files: { file: string }[] }).files.map(({ file }) => file);
}

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
