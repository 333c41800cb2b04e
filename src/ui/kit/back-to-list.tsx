import { useRouter } from '../app/router.ts';
import { Button } from './button.tsx';

/** On a phone, where a list and what is open of it do not fit side by side. */
export function BackToList() {
  const { go } = useRouter();
  return (
    <Button
      class="show-s"
      look="quiet"
      icon="undo"
      aria-label="Back to the list"
      onClick={() => go({ open: undefined })}
    />
  );
}
