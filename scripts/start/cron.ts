/** Sets the Worker's cron events off while the server runs, at the times that Cloudflare would. */
import { CommandError } from '../support/command-error.ts';

const MINUTE_MS = 60_000;
/** Of a machine that slept, so that what it missed happens when it wakes. */
const MISSED_MINUTES_MAX = 24 * 60;
/** Cloudflare counts the days of a week from 1, Sunday. */
const FIELDS = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day', min: 1, max: 31, names: [] },
  {
    name: 'month',
    min: 1,
    max: 12,
    names: 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' '),
  },
  { name: 'day of the week', min: 1, max: 7, names: 'SUN MON TUE WED THU FRI SAT'.split(' ') },
] as const;

export interface Cron {
  readonly expression: string;
  /** Whether it is due in the minute of a time in milliseconds, in UTC. */
  isDue(at: number): boolean;
}

export interface Clock {
  now(): number;
  /** Calls back once, after about as many milliseconds. Gives what cancels it. */
  wait(ms: number, callback: () => void): () => void;
}

/** Does not keep the process from ending. */
const SYSTEM_CLOCK: Clock = {
  now: Date.now,
  wait(ms, callback) {
    const timer = setTimeout(callback, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** Lists, ranges, steps and names; throws a `CommandError` for anything else. */
export function parseCron(expression: string): Cron {
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) throw unreadable(expression);
  const sets = FIELDS.map((field, index) => parseField(parts[index] ?? '', field, expression));
  const isAnyDay = parts[2] === '*' || parts[4] === '*';
  return {
    expression,
    isDue(at) {
      const date = new Date(at);
      const has = (index: number, value: number) => sets[index]?.has(value) === true;
      const day = has(2, date.getUTCDate());
      const weekday = has(4, date.getUTCDay() + 1);
      return (
        has(0, date.getUTCMinutes()) &&
        has(1, date.getUTCHours()) &&
        has(3, date.getUTCMonth() + 1) &&
        (isAnyDay ? day && weekday : day || weekday)
      );
    },
  };
}

/**
 * Calls `dispatch` with the start of each minute in which a cron is due. Gives what ends it. Several
 * times of one cron that a sleeping machine missed are one event, of the last of them.
 */
export function startCrons(
  crons: readonly Cron[],
  dispatch: (cron: Cron, scheduledAt: number) => void,
  clock: Clock = SYSTEM_CLOCK,
): () => void {
  if (crons.length === 0) return () => {};
  let seen = minuteOf(clock.now());
  let cancel = () => {};
  const look = () => {
    const now = minuteOf(clock.now());
    for (const cron of crons) {
      const missed = minutesBetween(Math.max(seen, now - MISSED_MINUTES_MAX), now);
      const due = missed.findLast((minute) => cron.isDue(minute * MINUTE_MS));
      if (due !== undefined) dispatch(cron, due * MINUTE_MS);
    }
    seen = Math.max(seen, now);
    plan();
  };
  const plan = () => {
    cancel = clock.wait(MINUTE_MS - (clock.now() % MINUTE_MS), look);
  };
  plan();
  return () => cancel();
}

function minuteOf(at: number): number {
  return Math.floor(at / MINUTE_MS);
}

/** Those after the first, the last included. */
function minutesBetween(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first) }, (_, index) => first + 1 + index);
}

function parseField(
  text: string,
  { min, max, names }: (typeof FIELDS)[number],
  expression: string,
): ReadonlySet<number> {
  const toNumber = (word: string) => {
    const index = (names as readonly string[]).indexOf(word.toUpperCase());
    const value = index === -1 ? Number(/^\d+$/.test(word) ? word : Number.NaN) : index + min;
    if (!(value >= min && value <= max)) throw unreadable(expression);
    return value;
  };
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const [range = '', step = '1', ...more] = item.split('/');
    const [from = '', to, ...rest] = range.split('-');
    const first = from === '*' ? min : toNumber(from);
    const last = to !== undefined ? toNumber(to) : from === '*' || item.includes('/') ? max : first;
    const by = Number(/^\d+$/.test(step) ? step : 0);
    if (by < 1 || more.length + rest.length > 0 || last < first) throw unreadable(expression);
    for (let value = first; value <= last; value += by) values.add(value);
  }
  return values;
}

function unreadable(expression: string): CommandError {
  return new CommandError(
    `npm start cannot read the cron '${expression}' of wrangler.toml. Write five fields of numbers, lists, ranges and steps.`,
  );
}
