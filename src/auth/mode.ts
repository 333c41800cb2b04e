/** Who may come in at all, from the configuration. Whatever is not configured in full is closed. */
import type { Env } from '#env.ts';
import { OWNER_PASSPHRASE_CHARS_MIN } from './limits.ts';
import { isLocalRequest, isLoopback } from './local-request.ts';

export type AuthMode =
  /** Everybody who asks on the machine itself. */
  | { readonly mode: 'open' }
  /** API tokens alone. Publishes nothing about OAuth, which some clients would prefer to a token. */
  | { readonly mode: 'token'; readonly kv: KVNamespace }
  /** OAuth, and API tokens beside it. */
  | { readonly mode: 'oauth'; readonly kv: KVNamespace; readonly passphrase: string }
  /** Nobody: `message` says why, `commands` what to do, to be run in the project's directory. */
  | { readonly mode: 'closed'; readonly message: string; readonly commands: readonly string[] };

const SET_PASSPHRASE = 'npx wrangler secret put OWNER_PASSPHRASE --env production';
const SET_LOCAL_PASSPHRASE = "echo 'OWNER_PASSPHRASE=<12 characters or more>' >> .dev.vars";
/** Makes what is missing, the namespace among it. */
const DEPLOY = 'npm run deploy';

/** `AUTH_MODE` decides; without it a passphrase means `oauth`, and no passphrase `open`. */
export function readAuthMode(env: Env, request: Request): AuthMode {
  const wanted = env.AUTH_MODE?.trim().toLowerCase() || (env.OWNER_PASSPHRASE ? 'oauth' : 'open');
  switch (wanted) {
    case 'open':
      return isLocalRequest(request) ? { mode: 'open' } : closedToOthers(request);
    case 'token':
      return env.OAUTH_KV === undefined ? NO_NAMESPACE : { mode: 'token', kv: env.OAUTH_KV };
    case 'oauth':
      return readOAuth(env);
    default:
      return closed('AUTH_MODE is none of open, token and oauth.', DEPLOY);
  }
}

/** The passphrase that signs the owner in; undefined where nobody can sign in. */
export function readPassphrase(env: Env): string | undefined {
  const passphrase = env.OWNER_PASSPHRASE ?? '';
  return Array.from(passphrase).length < OWNER_PASSPHRASE_CHARS_MIN ? undefined : passphrase;
}

const NO_NAMESPACE = closed(
  'This deployment has no KV namespace OAUTH_KV for its credentials.',
  DEPLOY,
);

/** Without credentials a server serves the machine that it runs on. */
function closedToOthers({ url }: Request): AuthMode {
  return isLoopback(new URL(url).hostname)
    ? closed(
        'This server has no credentials, so it serves the machine that it runs on alone: nobody through a proxy, a tunnel or from another machine.',
        SET_LOCAL_PASSPHRASE,
      )
    : closed('This deployment has no credentials configured.', SET_PASSPHRASE);
}

function readOAuth(env: Env): AuthMode {
  if (env.OAUTH_KV === undefined) return NO_NAMESPACE;
  if (!env.OWNER_PASSPHRASE) {
    return closed('This deployment has no passphrase for its owner.', SET_PASSPHRASE);
  }
  const passphrase = readPassphrase(env);
  if (passphrase === undefined) {
    const least = `OWNER_PASSPHRASE is shorter than ${OWNER_PASSPHRASE_CHARS_MIN} characters.`;
    return closed(least, SET_PASSPHRASE);
  }
  return { mode: 'oauth', kv: env.OAUTH_KV, passphrase };
}

function closed(message: string, ...commands: string[]): AuthMode {
  return { mode: 'closed', message, commands };
}
