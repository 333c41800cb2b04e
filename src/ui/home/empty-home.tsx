import { useContext, useState } from 'preact/hooks';
import { useRouter } from '../app/router.ts';
import { useSession } from '../data/session.ts';
import { CacheContext } from '../data/use-query.ts';
import { Button } from '../kit/button.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { Problem } from '../kit/problem.tsx';
import { ConnectLines } from './connect-lines.tsx';
import { SAMPLE } from './sample-memory.ts';
import { loadSample, SAMPLE_FACTS, SAMPLE_THREAD } from './sample.ts';

const EXAMPLE = 'Remember that the ETA service reads positions from the replica only.';

/** Before the first fact: how a client connects, and a memory to look at. */
export function EmptyHome() {
  const { rights } = useSession();
  return (
    <div class="page narrow">
      <h1>No memory yet</h1>
      <p class="ink2 lead">
        Skein keeps what agents learn, as a graph of entities, facts and relations. A thread appears
        here as soon as an agent saves its first fact.
      </p>
      <ol class="box steps">
        <li>
          <div>
            <h2>Connect a client</h2>
            <p class="mut">
              The address of this server is <code>{location.origin}/mcp</code>. Add a thread's name,
              such as <code>/my-project</code>, to give a client one memory only.
            </p>
            <ConnectLines />
            <p class="more">
              API tokens and connected clients are in the <a href="/settings">settings</a>. Programs
              without MCP use <a href="/openapi.json">plain HTTP</a>.
            </p>
          </div>
        </li>
        <li>
          <div>
            <h2>Say something worth keeping</h2>
            <p class="mut">In any connected client, for example:</p>
            <div class="codeline">
              <span class="sp">{EXAMPLE}</span>
              <CopyButton text={EXAMPLE} of="the example" />
            </div>
          </div>
        </li>
      </ol>
      {rights.write && <SampleBox />}
    </div>
  );
}

function SampleBox() {
  const cache = useContext(CacheContext);
  const { go } = useRouter();
  const [state, setState] = useState<'idle' | 'loading' | Error>('idle');
  const load = async () => {
    setState('loading');
    try {
      await loadSample();
      cache.invalidate(['threads']);
      cache.invalidate([SAMPLE_THREAD]);
      go({ threadId: SAMPLE_THREAD, view: 'graph' });
    } catch (error) {
      setState(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return (
    <section class="box box-b sample">
      <div class="row">
        <div class="sp">
          <h2>Or look at a full one first</h2>
          <p class="mut">
            Loads a portfolio with {SAMPLE.length} entities and {SAMPLE_FACTS} facts into a thread
            named <code>{SAMPLE_THREAD}</code>. One undo removes it.
          </p>
        </div>
        <Button icon="download" isDisabled={state === 'loading'} onClick={() => void load()}>
          {state === 'loading' ? 'Loading…' : 'Load a sample memory'}
        </Button>
      </div>
      {state instanceof Error && <Problem error={state} />}
    </section>
  );
}
