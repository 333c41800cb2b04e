/** Times as a person reads them, in the time zone of the browser. */

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const DAYS = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** `14 s ago` under an hour, `14:02` today, `20 Nov` this year, else with the year. */
export function formatTime(iso: string, now = Date.now()): string {
  const time = new Date(iso);
  const age = now - time.getTime();
  if (age < MINUTE) return `${Math.max(0, Math.floor(age / 1_000))} s ago`;
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`;
  const today = new Date(now);
  if (dayKey(time) === dayKey(today)) return formatClock(time);
  const day = `${time.getDate()} ${MONTHS[time.getMonth()]}`;
  return time.getFullYear() === today.getFullYear() ? day : `${day} ${time.getFullYear()}`;
}

/** `20 Nov 2026, 14:02`. */
export function formatMoment(iso: string): string {
  const time = new Date(iso);
  return `${time.getDate()} ${MONTHS[time.getMonth()]} ${time.getFullYear()}, ${formatClock(time)}`;
}

/** `Fri 20 Nov`, with the year where it is another one. */
export function formatDay(iso: string, now = Date.now()): string {
  const time = new Date(iso);
  const day = `${DAYS[time.getDay()]} ${time.getDate()} ${MONTHS[time.getMonth()]}`;
  const isThisYear = time.getFullYear() === new Date(now).getFullYear();
  return isThisYear ? day : `${day} ${time.getFullYear()}`;
}

/** `20 Nov`, for the axis of a chart. `time` is epoch milliseconds. */
export function formatShortDay(time: number): string {
  const day = new Date(time);
  return `${day.getDate()} ${MONTHS[day.getMonth()]}`;
}

export function formatClock(time: Date): string {
  return `${pad(time.getHours())}:${pad(time.getMinutes())}`;
}

/** `2026-11-20`, to tell days apart. */
export function dayKey(time: Date): string {
  return `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}`;
}

/** How much happened on each of the last days, oldest first. */
export function countByDay(times: readonly string[], days: number, now = Date.now()): number[] {
  const counts = new Map<string, number>();
  for (const iso of times) {
    const key = dayKey(new Date(iso));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Array.from({ length: days }, (_, i) => {
    const day = new Date(now);
    day.setDate(day.getDate() - (days - 1 - i));
    return counts.get(dayKey(day)) ?? 0;
  });
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
