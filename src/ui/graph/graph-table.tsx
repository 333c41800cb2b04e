import { useMemo, useState } from 'preact/hooks';
import { TypeDot } from '../kit/entity-link.tsx';
import { Stored } from '../kit/text.tsx';
import { Time } from '../kit/time.tsx';
import { countOf, formatCount } from '../text/numbers.ts';
import type { GraphListProps } from './graph-list.tsx';
import { countDegrees } from './visible-graph.ts';

const ROWS_MAX = 500;

type Column = 'name' | 'entityType' | 'facts' | 'relations' | 'importance' | 'updatedAt';

const COLUMNS: readonly (readonly [Column, string, string?])[] = [
  ['name', 'Entity'],
  ['entityType', 'Type'],
  ['facts', 'Facts', 'num'],
  ['relations', 'Relations', 'num'],
  ['importance', 'Importance', 'num hide-s'],
  ['updatedAt', 'Changed', 'hide-s'],
];

/** The same selection as rows, sorted by any column. */
export function GraphTable({ graph, selected, colourOf, onSelect }: GraphListProps) {
  const [column, setColumn] = useState<Column>('relations');
  const rows = useMemo(() => {
    const degrees = countDegrees(graph.relations);
    const all = graph.entities.map((entity) => ({
      ...entity,
      relations: degrees.get(entity.name) ?? 0,
    }));
    const isText = column === 'name' || column === 'entityType';
    return all.toSorted((a, b) => {
      const order = a[column] < b[column] ? -1 : a[column] > b[column] ? 1 : 0;
      return isText ? order : -order;
    });
  }, [graph, column]);
  return (
    <div class="gtable" tabIndex={0} role="region" aria-label="Table of entities">
      <table>
        <thead>
          <tr>
            {COLUMNS.map(([key, title, look]) => (
              <th key={key} class={look} aria-sort={key === column ? 'other' : undefined}>
                <button type="button" class="sort" onClick={() => setColumn(key)}>
                  {title}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, ROWS_MAX).map((row) => (
            <tr
              key={row.name}
              class={row.name === selected ? 'sel' : undefined}
              onClick={() => onSelect(row.name)}
            >
              <td>
                <span class="row">
                  <TypeDot colour={colourOf(row.entityType)} />
                  <button type="button" class="ent link">
                    <Stored text={row.name} class="ell" />
                  </button>
                </span>
              </td>
              <td class="mut">
                <Stored text={row.entityType} />
              </td>
              <td class="num">{formatCount(row.facts)}</td>
              <td class="num">{formatCount(row.relations)}</td>
              <td class="num hide-s">{row.importance}</td>
              <td class="mut nw hide-s">
                <Time at={row.updatedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > ROWS_MAX && (
        <p class="empty note">
          The first {countOf(ROWS_MAX, 'row')} of this order. Filter to see others.
        </p>
      )}
    </div>
  );
}
