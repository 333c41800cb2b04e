/** API tokens in the KV namespace, by their hashes. */
import { MemoryError } from '#errors.ts';
import { API_TOKENS_MAX } from './limits.ts';
import {
  idOfKey,
  isGoodAt,
  keyOfToken,
  keyPrefixOfId,
  mintToken,
  readToken,
  TOKEN_KEY_PREFIX,
  type ApiToken,
  type ApiTokenRequest,
} from './api-token.ts';

export interface ListedToken extends ApiToken {
  readonly id: string;
}

/** One read; undefined for a token that was never made or is revoked. An expired one is found. */
export async function findToken(kv: KVNamespace, token: string): Promise<ApiToken | undefined> {
  return readToken(await kv.get(await keyOfToken(token)));
}

/** The token, which nobody can be shown again. Throws `invalid_input`, or `limit_exceeded`. */
export async function createToken(
  kv: KVNamespace,
  request: ApiTokenRequest,
  now: number,
): Promise<string> {
  const { token, key, record, expiration } = await mintToken(request, now);
  const { keys } = await kv.list({ prefix: TOKEN_KEY_PREFIX });
  const good = keys.filter((one) => isGoodAt(one, now));
  if (good.length >= API_TOKENS_MAX) {
    throw new MemoryError('limit_exceeded', `There are ${good.length} tokens already.`, {
      hint: 'Revoke one that is not used any more.',
    });
  }
  await kv.put(key, JSON.stringify(record), expiration === undefined ? {} : { expiration });
  return token;
}

/** Newest first. */
export async function listTokens(kv: KVNamespace): Promise<ListedToken[]> {
  const { keys } = await kv.list({ prefix: TOKEN_KEY_PREFIX });
  const tokens = await Promise.all(
    keys.map(async ({ name: key }) => ({ key, record: readToken(await kv.get(key)) })),
  );
  return tokens
    .flatMap(({ key, record }) => (record === undefined ? [] : [{ id: idOfKey(key), ...record }]))
    .toSorted((a, b) => b.createdAt - a.createdAt);
}

/** Whether there was one of that id. Throws `invalid_input` for what is no id. */
export async function revokeToken(kv: KVNamespace, id: string): Promise<boolean> {
  const { keys } = await kv.list({ prefix: keyPrefixOfId(id) });
  await Promise.all(keys.map(({ name }) => kv.delete(name)));
  return keys.length > 0;
}
