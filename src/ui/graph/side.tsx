import { useMemo } from 'preact/hooks';
import type { GraphData } from '../data/graph-data.ts';
import type { ColourOf } from '../data/type-colours.ts';
import { TypeDot } from '../kit/entity-link.tsx';
import { Stored } from '../kit/text.tsx';
import { formatCount } from '../text/numbers.ts';
import { formatTime } from '../text/time.ts';
import { countBy, NO_FILTERS, type GraphFilters, type VisibleGraph } from './visible-graph.ts';

interface SideProps {
  readonly data: GraphData;
  readonly graph: VisibleGraph;
  readonly filters: GraphFilters;
  readonly setFilters: (filters: GraphFilters) => void;
  readonly colourOf: ColourOf;
}

const RELATIONS_MAX = 8;
const DATE_STEPS = 100;

/** What is shown, by type, relation, date and importance. */
export function Side(props: SideProps) {
  const { data, graph, filters, setFilters } = props;
  const isFiltered = filters !== NO_FILTERS && graph.entities.length < data.entities.length;
  return (
    <nav class="side scroll" aria-label="Filters" tabIndex={0}>
      <TypeLegend {...props} />
      <section class="cut">
        {(data.isCut || graph.entities.length < data.total.entities) && (
          <p class="note">
            {formatCount(graph.entities.length)} of {formatCount(data.total.entities)} shown
            {graph.matching > graph.entities.length || data.isCut ? ', the most connected' : ''}.
          </p>
        )}
        {isFiltered && (
          <p>
            <button type="button" class="link" onClick={() => setFilters(NO_FILTERS)}>
              Show all
            </button>
          </p>
        )}
      </section>
      <RelationLegend {...props} />
      <Ranges {...props} />
    </nav>
  );
}

function TypeLegend({ data, graph, filters, setFilters, colourOf }: SideProps) {
  const all = useMemo(() => countBy(data.entities, ({ entityType }) => entityType), [data]);
  const shown = useMemo(
    () => new Map(countBy(graph.entities, ({ entityType }) => entityType)),
    [graph],
  );
  const toggle = (type: string, isAlone: boolean) => {
    const types = isAlone
      ? new Set(all.map(([one]) => one).filter((one) => one !== type))
      : filters.types.symmetricDifference(new Set([type]));
    setFilters({ ...filters, types });
  };
  return (
    <section>
      <h3>Types</h3>
      {all.map(([type, count]) => (
        <button
          key={type}
          type="button"
          class="lg"
          aria-pressed={!filters.types.has(type)}
          title="Alt-click shows this type alone"
          onClick={(event) => toggle(type, event.altKey)}
        >
          <TypeDot colour={colourOf(type)} />
          <Stored text={type} class="ell" />
          <span class="n">
            {(shown.get(type) ?? 0) < count && `${formatCount(shown.get(type) ?? 0)} / `}
            {formatCount(count)}
          </span>
        </button>
      ))}
    </section>
  );
}

function RelationLegend({ data, filters, setFilters }: SideProps) {
  const all = useMemo(() => countBy(data.relations, ({ relationType }) => relationType), [data]);
  return (
    <section>
      <h3>Relations</h3>
      {all.slice(0, RELATIONS_MAX).map(([type, count]) => (
        <button
          key={type}
          type="button"
          class="lg"
          aria-pressed={!filters.relations.has(type)}
          onClick={() =>
            setFilters({
              ...filters,
              relations: filters.relations.symmetricDifference(new Set([type])),
            })
          }
        >
          <i class="dash" />
          <Stored text={type} class="ell" />
          <span class="n">{formatCount(count)}</span>
        </button>
      ))}
      {all.length > RELATIONS_MAX && (
        <p class="note pad">{formatCount(all.length - RELATIONS_MAX)} more types</p>
      )}
    </section>
  );
}

function Ranges({ data, filters, setFilters }: SideProps) {
  const times = useMemo(
    () => data.entities.map(({ updatedAt }) => Date.parse(updatedAt)).filter(Number.isFinite),
    [data],
  );
  const from = times.reduce((least, time) => Math.min(least, time), Infinity);
  const to = times.reduce((most, time) => Math.max(most, time), -Infinity);
  const step = Math.max(1, (to - from) / DATE_STEPS);
  const since = filters.since === undefined ? from : Date.parse(filters.since);
  return (
    <section class="ranges">
      <h3>Changed since</h3>
      <label class="fl">
        <span>{formatTime(new Date(since).toISOString())}</span>
        <input
          type="range"
          aria-label="Changed since"
          min={from}
          max={to}
          step={step}
          value={since}
          onInput={(event) => {
            const time = Number(event.currentTarget.value);
            const next = time <= from ? undefined : new Date(time).toISOString();
            setFilters({ ...filters, since: next });
          }}
        />
      </label>
      <h3>Importance</h3>
      <label class="fl">
        <span>{filters.importance === 0 ? 'any' : `${filters.importance} and more`}</span>
        <input
          type="range"
          aria-label="Importance at least"
          min={0}
          max={1}
          step={0.1}
          value={filters.importance}
          onInput={(event) =>
            setFilters({ ...filters, importance: Number(event.currentTarget.value) })
          }
        />
      </label>
    </section>
  );
}
