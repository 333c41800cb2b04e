/** Moments as callers write them: the number of a revision, a time, or a whole day. */

/** From its first to its last millisecond, since 1970; both are the same for anything but a day. */
export interface TimeSpan {
  readonly from: number;
  readonly until: number;
}

export type Moment = { readonly revision: number } | TimeSpan;

/** The greatest time that a date holds, in epoch milliseconds; the least is as far before 1970. */
export const TIME_MAX = 8_640_000_000_000_000;

/** ISO 8601, in UTC. Never throws: a time beyond what a date holds is told as the nearest that it holds. */
export function toIsoTime(at: number): string {
  if (Number.isNaN(at)) return toIsoTime(0);
  return new Date(Math.min(Math.max(at, -TIME_MAX), TIME_MAX)).toISOString();
}

const REVISION = /^\d{1,15}$/;

/** A day, perhaps a time of day, and perhaps a zone: UTC where none is given. */
const TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?(Z|[+-]\d{2}:\d{2})?$/i;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Undefined for a text that is neither a revision nor a time. */
export function parseMoment(text: string): Moment | undefined {
  return REVISION.test(text) ? { revision: Number(text) } : parseTime(text);
}

/**
 * `2026-01-20T10:00:00Z`, `2026-01-20T10:00+01:00`, or the whole day `2026-01-20`, in another zone
 * `2026-01-20+01:00`. Undefined for anything else.
 */
export function parseTime(text: string): TimeSpan | undefined {
  const [, year, month, day, time, zone = 'Z'] = TIME.exec(text) ?? [];
  if (year === undefined || !isDay(Number(year), Number(month), Number(day))) return undefined;
  const from = Date.parse(`${year}-${month}-${day}T${time ?? '00:00'}${zone.toUpperCase()}`);
  if (Number.isNaN(from)) return undefined;
  return { from, until: time === undefined ? from + DAY_MS - 1 : from };
}

/** `Date.parse` takes 30 February for a day in March. */
function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
