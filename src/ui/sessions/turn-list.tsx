import { useState } from 'preact/hooks';
import { Link } from '../app/link.tsx';
import type { TurnWire } from '#http/wire.ts';
import { callTool } from '../data/api.ts';
import { useGraph } from '../data/graph.ts';
import type { SourcedFact } from '../data/graph-data.ts';
import { useQuery } from '../data/use-query.ts';
import { BackToList } from '../kit/back-to-list.tsx';
import { Button } from '../kit/button.tsx';
import { Loading } from '../kit/loading.tsx';
import { Problem } from '../kit/problem.tsx';
import { Stored } from '../kit/text.tsx';
import { Time } from '../kit/time.tsx';
import { countOf } from '../text/numbers.ts';

interface TurnListProps {
  readonly threadId: string;
  readonly sessionId: string;
}

const PAGE = 100;

/** The turns of one session, whole, each beside the facts that came from it. */
export function TurnList({ threadId, sessionId }: TurnListProps) {
  const [offset, setOffset] = useState(0);
  const { value, error, retry } = useQuery([threadId, 'turns', sessionId, String(offset)], () =>
    callTool(threadId, 'get_session_memories', { sessionId, limit: PAGE, offset }),
  );
  const { value: summary } = useQuery([threadId, 'summary', sessionId], async () => {
    const { summaries } = await callTool(threadId, 'get_all_summaries', { limit: 1_000 });
    return summaries.find((one) => one.sessionId === sessionId) ?? null;
  });
  const { value: graph } = useGraph(threadId, undefined);
  const next = value?.nextOffset ?? null;
  return (
    <div class="turns">
      <div class="panel-h tall">
        <BackToList />
        <div class="sp">
          <h2>
            <Stored text={summary?.title ?? sessionId} />
          </h2>
          <p class="note">
            <Stored text={sessionId} class="id" />
            {value && ` · ${countOf(value.total, 'turn')}`}
          </p>
        </div>
      </div>
      <div class="scroll sp" tabIndex={0} role="region" aria-label="Turns">
        {summary && (
          <p class="summary">
            <Stored text={summary.summary} />
          </p>
        )}
        {error && <Problem error={error} retry={retry} />}
        {value === undefined && !error && <Loading rows={5} />}
        {value?.total === 0 && <p class="empty">This session does not exist.</p>}
        {value?.memories.map((turn) => (
          <Turn
            key={turn.id}
            turn={turn}
            facts={graph?.sourced.filter((fact) => fact.turn === turn.id) ?? []}
          />
        ))}
        <p class="empty row">
          {offset > 0 && (
            <Button isSmall onClick={() => setOffset(Math.max(0, offset - PAGE))}>
              Earlier turns
            </Button>
          )}
          {next !== null && (
            <Button isSmall onClick={() => setOffset(next)}>
              Later turns
            </Button>
          )}
        </p>
      </div>
    </div>
  );
}

interface TurnProps {
  readonly turn: TurnWire;
  readonly facts: readonly SourcedFact[];
}

function Turn({ turn, facts }: TurnProps) {
  const { id, timestamp, prompt, thought, response, agent, model } = turn;
  return (
    <article class={facts.length > 0 ? 'turn with-facts' : 'turn'} id={id}>
      <div>
        <p class="who">
          <span>Prompt</span> <Time at={timestamp} /> <span class="id">{id}</span>
        </p>
        <p class="say">
          <Stored text={prompt} class="lines" />
        </p>
        {thought !== '' && (
          <>
            <p class="who">Thought</p>
            <p class="say th">
              <Stored text={thought} class="lines" />
            </p>
          </>
        )}
        <p class="who">
          <span>Response</span>
          {agent && <Stored text={agent} class="mut" />}
          {model && <Stored text={model} class="mut" />}
        </p>
        <p class="say">
          <Stored text={response} class="lines" />
        </p>
      </div>
      {facts.length > 0 && (
        <div class="ff">
          <h3>Facts from this turn</h3>
          {facts.map((fact) => (
            <Link
              key={fact.id}
              class="lf"
              to={{ view: 'graph', entity: fact.entity, open: fact.id }}
            >
              <Stored text={fact.entity} class="med" /> <Stored text={fact.content} />{' '}
              <span class="id">{fact.id}</span>
            </Link>
          ))}
        </div>
      )}
    </article>
  );
}
