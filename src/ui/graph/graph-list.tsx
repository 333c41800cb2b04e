import { useMemo } from 'preact/hooks';
import type { RelationWire } from '#http/wire.ts';
import type { ColourOf } from '../data/type-colours.ts';
import { EntityLink, TypeDot } from '../kit/entity-link.tsx';
import { Stored } from '../kit/text.tsx';
import { countOf } from '../text/numbers.ts';
import { countDegrees, type VisibleGraph } from './visible-graph.ts';

export interface GraphListProps {
  readonly graph: VisibleGraph;
  readonly selected: string | undefined;
  readonly colourOf: ColourOf;
  readonly onSelect: (name: string) => void;
}

const ROWS_MAX = 500;
const RELATIONS_MAX = 12;

/** The same selection to read: each entity with what it points to. */
export function GraphList({ graph, selected, colourOf, onSelect }: GraphListProps) {
  const { entities, relations } = graph;
  const bySource = useMemo(() => Map.groupBy(relations, ({ from }) => from), [relations]);
  const degrees = useMemo(() => countDegrees(relations), [relations]);
  const rows = entities
    .toSorted((a, b) => (degrees.get(b.name) ?? 0) - (degrees.get(a.name) ?? 0))
    .slice(0, ROWS_MAX);
  return (
    <div class="gtable" tabIndex={0} role="region" aria-label="List of entities">
      <ul class="glist">
        {rows.map(({ name, entityType }) => (
          <li key={name} class={name === selected ? 'sel' : undefined}>
            <span class="row">
              <TypeDot colour={colourOf(entityType)} />
              <button
                type="button"
                class="ent link"
                aria-current={name === selected ? 'true' : undefined}
                onClick={() => onSelect(name)}
              >
                <Stored text={name} class="ell" />
              </button>
              <Stored text={entityType} class="mut ell" />
            </span>
            <Relations relations={bySource.get(name) ?? []} />
          </li>
        ))}
      </ul>
      {entities.length > rows.length && (
        <p class="empty note">
          The {countOf(rows.length, 'entity', 'entities')} with the most relations. Filter to see
          others.
        </p>
      )}
    </div>
  );
}

function Relations({ relations }: { readonly relations: readonly RelationWire[] }) {
  return (
    <span class="rels">
      {relations.slice(0, RELATIONS_MAX).map(({ relationType, to }) => (
        <span key={`${relationType}\n${to}`} class="row">
          <Stored text={relationType} class="mut" /> <EntityLink name={to} />
        </span>
      ))}
      {relations.length > RELATIONS_MAX && (
        <span class="mut">and {relations.length - RELATIONS_MAX} more</span>
      )}
    </span>
  );
}
