/** Asks what was just deployed whether it answers, and whether it lets strangers in. */
import { setTimeout as wait } from 'node:timers/promises';
import { CommandError } from '../support/command-error.ts';

export type Verdict =
  /** It refuses whoever has no credential. */
  | 'guarded'
  /** It serves nobody, since no passphrase is set. */
  | 'closed';

/** How long a new address may take to be known everywhere. */
const VERIFY_MS_MAX = 180_000;
const PAUSE_MS = 2_000;
const ANSWER_MS_MAX = 10_000;

/**
 * Waits for `GET /health`, then for a route of memory to refuse somebody without a credential, and tells
 * how it does; a deployment that is set up is waited for until it is guarded. Throws `CommandError` if
 * that does not come to pass, and at once if a memory answers.
 */
export async function verifyDeployment(
  origin: string,
  { isSetUp }: { readonly isSetUp: boolean },
  timeoutMs: number = VERIFY_MS_MAX,
): Promise<Verdict> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const { verdict, words } = await look(origin);
    if (verdict === 'guarded' || (verdict === 'closed' && !isSetUp)) return verdict;
    const restMs = deadline - Date.now();
    if (restMs <= 0) throw new CommandError(words);
    await wait(Math.min(PAUSE_MS, restMs));
  }
}

/** Without a verdict it is neither, yet. */
async function look(origin: string): Promise<{ verdict?: Verdict; words: string }> {
  const health = await ask(`${origin}/health`);
  if (health.status !== 200) return { words: `GET ${origin}/health: ${health.words}` };
  const memory = await ask(`${origin}/api/threads/deploy-check/health`);
  const words = `A memory without a credential: ${memory.words}`;
  if (memory.status === 200) {
    throw new CommandError(
      `${origin} shows a memory to somebody without a credential. Take it down with npx wrangler delete --env production, and set AUTH_MODE in wrangler.toml to oauth.`,
    );
  }
  if (memory.status === 503) return { verdict: 'closed', words };
  const isGuarded = memory.status === 401 && memory.headers?.has('www-authenticate') === true;
  return isGuarded ? { verdict: 'guarded', words } : { words };
}

interface Answer {
  /** 0 for none. */
  readonly status: number;
  readonly headers?: Headers;
  readonly words: string;
}

async function ask(url: string): Promise<Answer> {
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    const text = await response.text();
    const words = `${response.status} ${text.slice(0, 500)}`;
    return { status: response.status, headers: response.headers, words };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { status: 0, words: `no answer (${String(cause)})` };
  }
}
