import { callTool } from '../data/api.ts';
import { useQuery } from '../data/use-query.ts';
import { Link } from '../app/link.tsx';
import { Stored } from '../kit/text.tsx';
import { Time } from '../kit/time.tsx';
import { shortText } from '../text/safe-text.ts';

interface MentionListProps {
  readonly threadId: string;
  readonly name: string;
}

const FOUND_MAX = 5;

/** Turns in which the name occurs, one a session. */
export function MentionList({ threadId, name }: MentionListProps) {
  const { value: turns } = useQuery([threadId, 'mentions', name], async () => {
    const { results } = await callTool(threadId, 'query_raw_memories', {
      query: `"${name.replaceAll('"', ' ')}"`,
      nResults: 20,
    });
    const seen = new Set<string>();
    return results
      .filter(({ sessionId }) => !seen.has(sessionId) && seen.add(sessionId))
      .slice(0, FOUND_MAX);
  });
  if (turns === undefined || turns.length === 0) return null;
  return (
    <section aria-label="Sessions">
      <h3>
        Sessions <span class="n">that mention it</span>
      </h3>
      <ul>
        {turns.map(({ id, sessionId, prompt, timestamp }) => (
          <li class="mention" key={id}>
            <Link to={{ view: 'sessions', open: sessionId }}>
              <Stored text={sessionId} />
            </Link>
            <span class="note">
              <Time at={timestamp} /> · <Stored text={shortText(prompt, 80)} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
