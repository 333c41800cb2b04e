import { Button } from './button.tsx';
import { Problem } from './problem.tsx';

interface FormEndProps {
  /** What the button that submits says. */
  readonly action: string;
  readonly isReady: boolean;
  /** What came of the last try: `saving` while it runs, an error if it failed. */
  readonly state: unknown;
  readonly onClose: () => void;
}

/** The end of a form on a card: what went wrong, and the buttons that submit and cancel. */
export function FormEnd({ action, isReady, state, onClose }: FormEndProps) {
  const isSaving = state === 'saving';
  return (
    <>
      {state instanceof Error && <Problem error={state} />}
      <div class="row">
        <Button look="primary" isSmall type="submit" isDisabled={!isReady || isSaving}>
          {isSaving ? 'Saving…' : action}
        </Button>
        <Button isSmall onClick={onClose}>
          Cancel
        </Button>
      </div>
    </>
  );
}
