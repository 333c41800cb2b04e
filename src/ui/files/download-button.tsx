import { useState } from 'preact/hooks';
import { request } from '../data/api.ts';
import { Button } from '../kit/button.tsx';
import { Problem } from '../kit/problem.tsx';

interface DownloadButtonProps {
  readonly path: string;
  /** Of the file. */
  readonly name: string;
  readonly label: string;
}

/** Fetches with the credential of the page, which a plain link would not bring, then hands the file over. */
export function DownloadButton({ path, name, label }: DownloadButtonProps) {
  const [state, setState] = useState<'idle' | 'running' | Error>('idle');
  const run = async () => {
    setState('running');
    try {
      const blob = await (await request(path)).blob();
      const url = URL.createObjectURL(blob);
      const link = document.createElement('a');
      link.href = url;
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
      setState('idle');
    } catch (error) {
      setState(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return (
    <>
      <Button
        isSmall
        icon="download"
        aria-label={`${label} ${name}`}
        isDisabled={state === 'running'}
        onClick={() => void run()}
      >
        {state === 'running' ? 'Fetching…' : label}
      </Button>
      {state instanceof Error && <Problem error={state} />}
    </>
  );
}
