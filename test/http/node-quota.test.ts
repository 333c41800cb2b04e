import { expect, test } from 'vitest';
import { LOCAL, type Principal } from '#auth/principal.ts';
import { quotaOf } from '#thread/tool-access.ts';
import { findTool } from '#tools/catalog.ts';
import { openNodeQuota } from '#memory/nodes/node-quota.ts';

const writer: Principal = { ...LOCAL, credential: 'hash', actor: 'a', scopes: ['memory:write'] };
const admin: Principal = { ...writer, scopes: ['memory:admin'] };

function quota(principal: Principal, name: string) {
  const tool = findTool(name);
  return tool && quotaOf(principal, tool);
}

test('each credential is counted, except on the machine itself and where an admin restores', () => {
  expect(quota(writer, 'save_memory')).toBe('hash');
  expect(quota(writer, 'import_database')).toBe('hash');
  expect(quota(admin, 'save_memory')).toBe('hash');
  expect(quota(admin, 'import_database')).toBeUndefined();
  expect(quota(admin, 'undo_actor')).toBeUndefined();
  expect(quota(LOCAL, 'save_memory')).toBeUndefined();
});

test('a credential has its nodes again after a minute, and takes none from another', () => {
  const quota = openNodeQuota();
  quota.take('a', 8, 10, 0);

  expect(() => quota.take('a', 3, 10, 30_000)).toThrow('may add 10 nodes a minute');
  quota.take('a', 2, 10, 30_000);
  quota.take('b', 10, 10, 30_000);
  expect(() => quota.take('a', 1, 10, 59_999)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('Try again in 1 seconds') }),
  );
  quota.take('a', 10, 10, 60_000);
  expect(() => quota.take('c', 11, 10, 0)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('Send it in smaller parts') }),
  );
});
