import { useEffect, useReducer } from 'preact/hooks';
import { formatMoment, formatTime } from '../text/time.ts';

const REFRESH_MS = 15_000;

/** A moment, its distance kept right while the page is open; the whole time is in its title. */
export function Time({ at }: { readonly at: string }) {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => tick(undefined), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={formatMoment(at)}>
      {formatTime(at)}
    </time>
  );
}
