import { useState } from 'preact/hooks';
import { keepToken, readToken } from '../data/api.ts';
import { Button } from '../kit/button.tsx';
import { Icon } from '../kit/icon.tsx';

export interface SignInProps {
  /** Whether the server takes a passphrase. */
  readonly canSignIn: boolean;
  readonly onToken: (token: string) => Promise<void>;
}

/** Shown where the server asks for a credential and none came, or none that is good. */
export function SignIn({ canSignIn, onToken }: SignInProps) {
  const wasRefused = readToken() !== undefined;
  const [token, setToken] = useState('');
  return (
    <main class="page signin">
      <h1 class="row">
        <Icon name="skein" /> Sign in to Skein
      </h1>
      {canSignIn && (
        <form method="post" action="/sign-in" class="box box-b form">
          <input type="hidden" name="next" value={location.pathname + location.search} />
          <label class="label">
            The owner's passphrase
            <input
              class="in"
              type="password"
              name="passphrase"
              autoComplete="current-password"
              required
            />
          </label>
          <p class="note">It is the secret OWNER_PASSPHRASE of this deployment.</p>
          <Button look="primary" type="submit">
            Sign in
          </Button>
        </form>
      )}
      <form
        class="box box-b form"
        onSubmit={(event) => {
          event.preventDefault();
          void onToken(token.trim());
        }}
      >
        {wasRefused && (
          <p class="fault" role="alert">
            The token is unknown, expired or revoked.
          </p>
        )}
        <label class="label">
          An API token
          <input
            class="in"
            type="password"
            autoComplete="off"
            placeholder="skn_…"
            required
            value={token}
            onInput={(event) => {
              setToken(event.currentTarget.value);
              keepToken(undefined);
            }}
          />
        </label>
        <p class="note">
          It stays in this tab alone. You make tokens in the <a href="/settings">settings</a>, or by{' '}
          <code>npm run token</code>. A token that only reads sees a page that only reads.
        </p>
        <Button type="submit" {...(!canSignIn && { look: 'primary' as const })}>
          Use this token
        </Button>
      </form>
    </main>
  );
}
