import { useState } from 'preact/hooks';
import { useRouter } from '../app/router.ts';
import { AskBar } from './ask-bar.tsx';
import { Briefing } from './briefing.tsx';
import { FoundList } from './found-list.tsx';

const TOKENS_DEFAULT = 1_000;

/** One question, answered twice: what search finds and why, and what a model would be given. */
export function Ask({ threadId }: { readonly threadId: string }) {
  const { place } = useRouter();
  const { query = '', at } = place;
  const [entityType, setType] = useState('');
  const [maxTokens, setTokens] = useState(TOKENS_DEFAULT);
  const [tab, setTab] = useState<'found' | 'briefing'>('found');
  const [lit, setLit] = useState<string>();
  const type = entityType === '' ? undefined : entityType;
  const asked = { threadId, query, entityType: type, at, lit, onLight: setLit };
  return (
    <section class="ask" aria-label="Search and ask">
      <AskBar
        {...{ threadId, query, entityType, maxTokens }}
        onType={setType}
        onTokens={setTokens}
      />
      {query === '' ? (
        <p class="empty center">
          The left half shows what a search finds and why. The right half shows, word for word, what
          a model gets from <code>recall</code>.
        </p>
      ) : (
        <div class="cols" data-tab={tab}>
          <div class="seg pick" role="group" aria-label="Half">
            <button type="button" aria-pressed={tab === 'found'} onClick={() => setTab('found')}>
              Found
            </button>
            <button
              type="button"
              aria-pressed={tab === 'briefing'}
              onClick={() => setTab('briefing')}
            >
              Briefing
            </button>
          </div>
          <FoundList {...asked} />
          <Briefing {...asked} maxTokens={maxTokens} onTokens={setTokens} />
        </div>
      )}
    </section>
  );
}
