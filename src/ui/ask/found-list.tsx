import { Link } from '../app/link.tsx';
import { useSearch } from '../data/thread.ts';
import { useTypeColours, type ColourOf } from '../data/type-colours.ts';
import { EntityLink } from '../kit/entity-link.tsx';
import { Highlighted } from '../kit/highlighted.tsx';
import { Loading } from '../kit/loading.tsx';
import { Problem } from '../kit/problem.tsx';
import { Stored } from '../kit/text.tsx';
import { groupMatches, type FoundEntity } from '../text/found-entities.ts';
import { countOf } from '../text/numbers.ts';

export interface AskedProps {
  readonly threadId: string;
  readonly query: string;
  readonly entityType: string | undefined;
  readonly at: string | undefined;
  /** Id of the fact that is marked in both halves. */
  readonly lit: string | undefined;
  readonly onLight: (id: string | undefined) => void;
}

/** What search finds, by entity, and why each of it was found. */
export function FoundList({ threadId, query, entityType, at, lit, onLight }: AskedProps) {
  const colourOf = useTypeColours(threadId);
  const { value, error, retry } = useSearch(threadId, query, entityType, at);
  const found = value === undefined ? [] : groupMatches(value);
  const facts = found.reduce((sum, { matches }) => sum + matches.length, 0);
  return (
    <section class="found" aria-label="What was found">
      <div class="panel-h">
        <h2>What was found</h2>
        {value && (
          <span class="mut">
            {countOf(found.length, 'entity', 'entities')}, {countOf(facts, 'fact')}
          </span>
        )}
        <span class="sp" />
        {value && <span class="note">{Math.round(value.tookMs)} ms</span>}
      </div>
      <div class="scroll sp">
        {error && <Problem error={error} retry={retry} />}
        {value === undefined && !error && <Loading rows={6} />}
        {value && value.closeness !== 'close' && (
          <p class="empty">
            {found.length === 0 ? 'Nothing was found.' : 'Nothing matches closely. Nearest:'}
          </p>
        )}
        <ul>
          {found.map((one) => (
            <Found key={one.name} {...{ found: one, query, colourOf, lit, onLight }} />
          ))}
        </ul>
        {value?.note && <p class="empty note">{value.note}</p>}
      </div>
    </section>
  );
}

interface FoundProps extends Pick<AskedProps, 'query' | 'lit' | 'onLight'> {
  readonly found: FoundEntity;
  readonly colourOf: ColourOf;
}

const WHY: Readonly<Record<string, string>> = { 'full text': 'words' };

function Found({ found, query, colourOf, lit, onLight }: FoundProps) {
  const { name, entityType, why, score, matches } = found;
  return (
    <li class="res">
      <div class="hd">
        <EntityLink name={name} type={entityType} colourOf={colourOf} />
        <Stored text={entityType} class="mut" />
        {why.map((reason) => (
          <span class="chip acc" key={reason}>
            {WHY[reason] ?? reason}
          </span>
        ))}
        <span class="sc" title="Greater is better, within this answer">
          <span class="bar wide">
            <i style={{ width: `${Math.round(score.share * 100)}%` }} />
          </span>
          {score.value.toFixed(2)}
        </span>
      </div>
      <ul>
        {matches.map(({ id, content, why: reasons }) => (
          <li
            key={id}
            class={lit === id ? 'on' : undefined}
            onMouseEnter={() => onLight(id)}
            onMouseLeave={() => onLight(undefined)}
          >
            <Link class="id" to={{ view: 'graph', entity: name, open: id }}>
              {id}
            </Link>
            <Highlighted text={content} query={query} />
            <span class="row">
              {reasons.map((reason) => (
                <span class="chip" key={reason}>
                  {WHY[reason] ?? reason}
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </li>
  );
}
