/** How a thread grew: how much there was at the end of each day. */

export interface Growth {
  /** Epoch seconds, one a day, oldest first. */
  readonly days: readonly number[];
  readonly entities: readonly number[];
  readonly facts: readonly number[];
  readonly relations: readonly number[];
}

export interface GrowthTimes {
  /** ISO 8601. */
  readonly entities: readonly string[];
  readonly facts: readonly string[];
  readonly relations: readonly string[];
}

const DAY = 86_400_000;
const DAYS_MAX = 400;

/** Of what there is now, by when it was made: what was deleted since is not counted. */
export function growthOf(times: GrowthTimes, now = Date.now()): Growth {
  const all = [...times.entities, ...times.facts, ...times.relations]
    .map((iso) => Date.parse(iso))
    .filter(Number.isFinite);
  const first = all.reduce((least, time) => Math.min(least, time), now);
  const today = startOfDay(now);
  const from = Math.max(startOfDay(first) - DAY, today - DAYS_MAX * DAY);
  const count = Math.round((today - from) / DAY) + 1;
  const days = Array.from({ length: count }, (_, i) => from + i * DAY);
  const cumulate = (isos: readonly string[]) => {
    const sorted = isos.map((iso) => Date.parse(iso)).toSorted((a, b) => a - b);
    let index = 0;
    return days.map((day) => {
      while (index < sorted.length && (sorted[index] ?? 0) < day + DAY) index++;
      return index;
    });
  };
  return {
    days: days.map((day) => day / 1_000),
    entities: cumulate(times.entities),
    facts: cumulate(times.facts),
    relations: cumulate(times.relations),
  };
}

function startOfDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}
