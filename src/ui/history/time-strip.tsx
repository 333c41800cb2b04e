import type { RevisionWire } from '#http/wire.ts';
import { formatMoment } from '../text/time.ts';
import { countBuckets, indexAt, stepDay } from '../text/time-line.ts';

export interface TimeStripProps {
  /** Newest first. */
  readonly revisions: readonly RevisionWire[];
  /** The revision that is shown; undefined for now. */
  readonly at: number | undefined;
  /** The second revision of a comparison; undefined without one. */
  readonly other: number | undefined;
  readonly onAt: (revision: number | undefined) => void;
  readonly onOther: (revision: number | undefined) => void;
}

const BUCKETS = 90;
const HEIGHT = 40;

/** Revisions over time, with the moment that all views show, and a second one to compare it with. */
export function TimeStrip({ revisions, at, other, onAt, onOther }: TimeStripProps) {
  const rising = revisions.toReversed();
  const [oldest] = rising;
  const newest = rising.at(-1);
  if (oldest === undefined || newest === undefined) return null;
  return (
    <div class="time">
      <div class="hd">
        <h2>Time</h2>
        <span class="mut hide-s">revisions since {formatMoment(oldest.at)}</span>
        <span class="sp" />
        <div class="seg" role="group" aria-label="Mode">
          <button
            type="button"
            aria-pressed={other === undefined}
            onClick={() => onOther(undefined)}
          >
            One moment
          </button>
          <button
            type="button"
            aria-pressed={other !== undefined}
            onClick={() => onOther(oldest.revision)}
          >
            Compare two
          </button>
        </div>
      </div>
      <Bars times={rising.map((one) => Date.parse(one.at))} />
      <MomentSlider
        label="The moment that is shown"
        rising={rising}
        value={at ?? newest.revision}
        onChoose={(revision) => onAt(revision === newest.revision ? undefined : revision)}
      />
      {other !== undefined && (
        <MomentSlider
          label="The moment to compare with"
          isOther
          rising={rising}
          value={other}
          onChoose={onOther}
        />
      )}
    </div>
  );
}

/** How many revisions there were in each part of the time. */
function Bars({ times }: { readonly times: readonly number[] }) {
  const from = times[0] ?? 0;
  const to = Math.max(times.at(-1) ?? 0, from + 1);
  const counts = countBuckets(times, { from, to, buckets: BUCKETS });
  const most = Math.max(1, ...counts);
  return (
    <svg
      class="tsvg"
      viewBox={`0 0 ${BUCKETS * 10} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {counts.map((count, i) => {
        const height = count === 0 ? 1 : Math.max(4, (count / most) * HEIGHT);
        return (
          <rect
            key={i}
            class={count === 0 ? 'z' : undefined}
            x={i * 10 + 1}
            y={HEIGHT - height}
            width={8}
            height={height}
          />
        );
      })}
    </svg>
  );
}

interface MomentSliderProps {
  readonly label: string;
  /** Oldest first. */
  readonly rising: readonly RevisionWire[];
  readonly value: number;
  readonly isOther?: boolean;
  readonly onChoose: (revision: number) => void;
}

/** Dragging goes along time; arrows go a revision, with Shift a day, `Home` and `End` to the ends. */
function MomentSlider({ label, rising, value, isOther = false, onChoose }: MomentSliderProps) {
  const times = rising.map((one) => Date.parse(one.at));
  const known = rising.findIndex(({ revision }) => revision >= value);
  const index = known < 0 ? rising.length - 1 : known;
  const shown = rising[index];
  if (shown === undefined) return null;
  const choose = (next: number) => {
    const one = rising[Math.min(Math.max(next, 0), rising.length - 1)];
    if (one) onChoose(one.revision);
  };
  const keys: Readonly<Record<string, (isDay: boolean) => number>> = {
    ArrowLeft: (isDay) => (isDay ? stepDay(times, index, -1) : index - 1),
    ArrowRight: (isDay) => (isDay ? stepDay(times, index, 1) : index + 1),
    Home: () => 0,
    End: () => rising.length - 1,
  };
  return (
    <label class={isOther ? 'moment other' : 'moment'}>
      <span class="sr">{label}</span>
      <input
        type="range"
        min={times[0]}
        max={Math.max(times.at(-1) ?? 0, (times[0] ?? 0) + 1)}
        step={1}
        value={times[index]}
        aria-valuetext={`${formatMoment(shown.at)}, revision ${shown.revision}`}
        onChange={(event) => choose(indexAt(times, Number(event.currentTarget.value)))}
        onKeyDown={(event) => {
          const next = keys[event.key]?.(event.shiftKey);
          if (next === undefined) return;
          event.preventDefault();
          choose(next);
        }}
      />
      <span class="note">
        {formatMoment(shown.at)}, revision {shown.revision}
      </span>
    </label>
  );
}
