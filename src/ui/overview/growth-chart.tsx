import { useEffect, useMemo, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { GraphData } from '../data/graph-data.ts';
import { growthOf } from '../text/growth.ts';
import { formatCount } from '../text/numbers.ts';
import { formatShortDay } from '../text/time.ts';

const HEIGHT = 200;
const DAY = 86_400;
/** Seconds between two ticks: no less than a day. */
const DAY_STEPS = [1, 2, 7, 14, 30, 61, 122, 365].map((days) => days * DAY);

/** How many entities, facts and relations there were, day by day. */
export function GrowthChart({ graph }: { readonly graph: GraphData }) {
  const box = useRef<HTMLDivElement>(null);
  const growth = useMemo(
    () =>
      growthOf({
        entities: graph.entities.map(({ createdAt }) => createdAt),
        facts: graph.facts.map(({ at }) => at),
        relations: graph.relations.map(({ createdAt }) => createdAt ?? ''),
      }),
    [graph],
  );
  useEffect(() => {
    const container = box.current;
    if (container === null) return;
    const data: uPlot.AlignedData = [
      [...growth.days],
      [...growth.facts],
      [...growth.relations],
      [...growth.entities],
    ];
    let plot: uPlot | undefined;
    const draw = () => {
      plot?.destroy();
      plot = new uPlot(optionsFor(container.clientWidth), data, container);
    };
    const observer = new ResizeObserver(() => {
      if (plot?.width !== container.clientWidth) draw();
    });
    observer.observe(container);
    addEventListener('skein-theme', draw);
    return () => {
      observer.disconnect();
      removeEventListener('skein-theme', draw);
      plot?.destroy();
    };
  }, [growth]);
  const last = (values: readonly number[]) => formatCount(values.at(-1) ?? 0);
  return (
    <section class="box" aria-label="Growth">
      <div class="box-h">
        <h2>Growth</h2> <span class="mut">of what there is now, by day</span>
      </div>
      <div class="box-b">
        <div class="key">
          <span>
            <i class="line facts" /> Facts {last(growth.facts)}
          </span>
          <span>
            <i class="line relations" /> Relations {last(growth.relations)}
          </span>
          <span>
            <i class="line entities" /> Entities {last(growth.entities)}
          </span>
        </div>
        <div
          ref={box}
          class="plot"
          role="img"
          aria-label={`Facts ${last(growth.facts)}, relations ${last(growth.relations)}, entities ${last(growth.entities)} now`}
        />
      </div>
    </section>
  );
}

function optionsFor(width: number): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const font = `11px ${colour('--font-ui')}`;
  const axis = {
    stroke: colour('--c-ink-3'),
    font,
    grid: { stroke: colour('--c-line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most)] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        incrs: DAY_STEPS,
        values: (_, ticks) => ticks.map((tick) => formatShortDay(tick * 1_000)),
      },
      { ...axis, size: 48, values: (_, ticks) => ticks.map((tick) => formatCount(tick)) },
    ],
    series: [
      {},
      { stroke: colour('--c-accent'), width: 1.5, points: { show: false } },
      { stroke: colour('--c-ink-3'), width: 1.5, dash: [4, 3], points: { show: false } },
      { stroke: colour('--c-ink-2'), width: 1.5, points: { show: false } },
    ],
  };
}
