import type { ListedThread } from '#http/wire.ts';
import { useActivity, useSize } from '../data/threads.ts';
import { formatBytes } from '../text/numbers.ts';
import { countByDay } from '../text/time.ts';
import { Sparkline } from './sparkline.tsx';

const DAYS = 30;

/** Writes of the last 30 days, a bar a day. */
export function ThreadActivity({ thread }: { readonly thread: ListedThread }) {
  const { value } = useActivity(thread);
  if (value === undefined) return null;
  const { revisions, isCut } = value;
  const counts = countByDay(
    revisions.map(({ at }) => at),
    DAYS,
  );
  const total = isCut ? `the last ${revisions.length}` : String(revisions.length);
  return <Sparkline values={counts} label={`Writes a day in the last 30 days: ${total}`} />;
}

export function ThreadSize({ thread }: { readonly thread: ListedThread }) {
  const { value } = useSize(thread);
  return <>{value !== undefined && formatBytes(value)}</>;
}
