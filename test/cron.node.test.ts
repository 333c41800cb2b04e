/** When the local server sets off the cron events of wrangler.toml. */
import { expect, test } from 'vitest';
import { parseCron, startCrons } from '../scripts/start/cron.ts';

const MINUTE_MS = 60_000;

/** Minutes of a month in which an expression is due, in UTC. */
function dueTimes(expression: string, month = '2027-01'): string[] {
  const cron = parseCron(expression);
  const first = Date.parse(`${month}-01T00:00Z`);
  const minutes = Array.from({ length: 31 * 24 * 60 }, (_, index) => first + index * MINUTE_MS);
  return minutes
    .filter((at) => cron.isDue(at))
    .map((at) => new Date(at).toISOString().slice(5, 16));
}

test.each([
  ['17 3 1,15 * *', ['01-01T03:17', '01-15T03:17']],
  // As at Cloudflare, 1 is Sunday: the first one of 2027 is the third day.
  ['0 0 * * 1', ['01-03T00:00', '01-10T00:00', '01-17T00:00', '01-24T00:00', '01-31T00:00']],
  ['30 6 * * SAT', ['01-02T06:30', '01-09T06:30', '01-16T06:30', '01-23T06:30', '01-30T06:30']],
  ['0 12 L JAN *', ['01-31T12:00']],
  // Either day will do where both are named.
  [
    '0 9 20 * 7',
    ['01-02T09:00', '01-09T09:00', '01-16T09:00', '01-20T09:00', '01-23T09:00', '01-30T09:00'],
  ],
  ['*/30 23 31 1 *', ['01-31T23:00', '01-31T23:30']],
  ['0 0 31 4 *', []],
])('%s is due as at Cloudflare', (expression, expected) => {
  expect(dueTimes(expression)).toEqual(expected);
});

test.each(['', 'x', '* * * *', '* * * * * *', '60 * * * *', '* * * * 0', '5-1 * * * *'])(
  'the cron %j is refused in one line that names it',
  (expression) => {
    expect(() => parseCron(expression)).toThrow(`npm start cannot read the cron '${expression}'`);
    expect(() => parseCron(expression)).not.toThrow(/\n/);
  },
);

test('a machine that slept sets off one event for what it missed, of the last time', () => {
  let now = Date.parse('2027-01-04T02:00:30Z');
  let wake = () => {};
  const waits: number[] = [];
  const events: string[] = [];
  const stop = startCrons(
    [parseCron('17 * * * *'), parseCron('0 4 * * *')],
    ({ expression }, at) => events.push(`${expression} ${new Date(at).toISOString()}`),
    {
      now: () => now,
      wait(ms, callback) {
        waits.push(ms);
        wake = callback;
        return () => (wake = () => {});
      },
    },
  );
  const sleepUntil = (time: string) => {
    now = Date.parse(time);
    wake();
  };

  sleepUntil('2027-01-04T02:01:00Z');
  sleepUntil('2027-01-04T05:30:00Z');
  sleepUntil('2027-01-04T05:31:00Z');
  stop();
  sleepUntil('2027-01-04T06:17:00Z');

  expect(waits[0]).toBe(30_000);
  expect(events).toEqual([
    '17 * * * * 2027-01-04T05:17:00.000Z',
    '0 4 * * * 2027-01-04T04:00:00.000Z',
  ]);
});
