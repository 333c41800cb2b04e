import { ApiError } from '../data/api.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** What went wrong and what to do, in the server's words, where it happened. */
export function Problem({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const hint = error instanceof ApiError ? error.hint : undefined;
  return (
    <div class="problem" role="alert">
      <Icon name="warn" />
      <div>
        <p>{error.message}</p>
        {hint && <p class="note">{hint}</p>}
      </div>
      {retry && (
        <Button isSmall onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}
