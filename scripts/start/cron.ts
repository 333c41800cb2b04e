/** Sets the Worker's cron events off while the server runs, at the times that Cloudflare would. */
import { Cron as Pattern } from 'croner';
import { CommandError } from '../support/command-error.ts';

const MINUTE_MS = 60_000;
/** Of a machine that slept, so that what it missed happens when it wakes. */
const MISSED_MINUTES_MAX = 24 * 60;

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

/** As Cloudflare reads it: five fields, in UTC, Sunday is 1. Throws a `CommandError` for anything else. */
export function parseCron(expression: string): Cron {
  const pattern = readPattern(expression);
  return { expression, isDue: (at) => pattern.match(new Date(at)) };
}

function readPattern(expression: string): Pattern {
  try {
    return new Pattern(expression, {
      mode: '5-part',
      alternativeWeekdays: true,
      sloppyRanges: true,
      timezone: 'UTC',
      paused: true,
    });
  } catch (error) {
    throw new CommandError(
      `npm start cannot read the cron '${expression}' of wrangler.toml: ${error instanceof Error ? error.message : ''}`,
      { cause: error },
    );
  }
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
