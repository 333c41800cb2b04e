const STEP = 4.4;
const HEIGHT = 28;
const BAR_MAX = 22;

export interface SparklineProps {
  /** Oldest first; the last bar is today's. */
  readonly values: readonly number[];
  readonly label: string;
}

/** Small bars without axes: the table beside them has the figures. */
export function Sparkline({ values, label }: SparklineProps) {
  const most = Math.max(1, ...values);
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${values.length * STEP} ${HEIGHT}`}
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {values.map((value, i) => {
        const height = value === 0 ? 1 : Math.max(3, Math.round((value / most) * BAR_MAX));
        const look = value === 0 ? 'z' : i === values.length - 1 ? 'l' : undefined;
        return (
          <rect
            key={i}
            class={look}
            x={i * STEP}
            y={HEIGHT - 1 - height}
            width={3}
            height={height}
          />
        );
      })}
    </svg>
  );
}
