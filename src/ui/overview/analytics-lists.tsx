import type { ComponentChildren } from 'preact';
import type { ColourOf } from '../data/type-colours.ts';
import { EntityLink } from '../kit/entity-link.tsx';
import { Time } from '../kit/time.tsx';
import { countOf } from '../text/numbers.ts';
import type { Analytics } from './analytics.ts';

interface AnalyticsListsProps {
  readonly analytics: Analytics;
  readonly colourOf: ColourOf;
}

/** What changed last, what is important, and what is connected. Orphans are with the repairs. */
export function AnalyticsLists({ analytics, colourOf }: AnalyticsListsProps) {
  const { recent_changes, top_important, most_connected } = analytics;
  const entity = (entityName: string, entityType: string) => (
    <EntityLink name={entityName} type={entityType} colourOf={colourOf} />
  );
  return (
    <div class="grid3">
      <List title="Changed last">
        {recent_changes.map(({ entityName, entityType, lastModified }) => (
          <li key={entityName}>
            {entity(entityName, entityType)}
            <span class="note">
              <Time at={lastModified} />
            </span>
          </li>
        ))}
      </List>
      <List title="Most important">
        {top_important.map(({ entityName, entityType, importance, observationCount }) => (
          <li key={entityName}>
            {entity(entityName, entityType)}
            <span class="note">
              {importance}, {countOf(observationCount, 'fact')}
            </span>
          </li>
        ))}
      </List>
      <List title="Most connected">
        {most_connected.map(({ entityName, entityType, relationCount }) => (
          <li key={entityName}>
            {entity(entityName, entityType)}
            <span class="note">{countOf(relationCount, 'relation')}</span>
          </li>
        ))}
      </List>
    </div>
  );
}

function List({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren[];
}) {
  return (
    <section class="box" aria-label={title}>
      <div class="box-h">
        <h2>{title}</h2>
      </div>
      {children.length === 0 ? (
        <p class="empty">Nothing yet.</p>
      ) : (
        <ul class="plain">{children}</ul>
      )}
    </section>
  );
}
