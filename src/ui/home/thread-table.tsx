import type { ListedThread } from '#http/wire.ts';
import { Link } from '../app/link.tsx';
import { Button } from '../kit/button.tsx';
import { Icon } from '../kit/icon.tsx';
import { Stored } from '../kit/text.tsx';
import { Time } from '../kit/time.tsx';
import { formatCount } from '../text/numbers.ts';
import { ThreadActivity, ThreadSize } from './thread-activity.tsx';

/** Further ones are not woken for their size and their writes: each costs a request. */
const MEASURED_MAX = 12;

export interface ThreadTableProps {
  readonly threads: readonly ListedThread[];
  /** Left out for a credential that may not delete. */
  readonly onDelete?: (thread: ListedThread) => void;
}

export function ThreadTable({ threads, onDelete }: ThreadTableProps) {
  return (
    <div class="box clip">
      <table class="threads">
        <thead>
          <tr>
            <th>Thread</th>
            <th class="num">Entities</th>
            <th class="num">Facts</th>
            <th class="num">Relations</th>
            <th class="num">Size</th>
            <th>Last change</th>
            <th class="hm">Writes, 30 days</th>
            <th class="hm">
              <span class="sr">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {threads.map((thread, i) => (
            <Row key={thread.threadId} {...{ thread, onDelete }} isMeasured={i < MEASURED_MAX} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly thread: ListedThread;
  readonly isMeasured: boolean;
  readonly onDelete?: ThreadTableProps['onDelete'];
}

function Row({ thread, isMeasured, onDelete }: RowProps) {
  const { threadId, entities, observations, relations, lastChange } = thread;
  return (
    <tr>
      <td>
        <Link class="nm" to={{ threadId, view: 'graph' }}>
          <Stored text={threadId} />
        </Link>
        <div class="note show-s">
          {formatCount(entities)} entities, {formatCount(observations)} facts
        </div>
      </td>
      <td class="num">{formatCount(entities)}</td>
      <td class="num">{formatCount(observations)}</td>
      <td class="num mut">{formatCount(relations)}</td>
      <td class="num mut">{isMeasured && <ThreadSize thread={thread} />}</td>
      <td class="nw">
        <Time at={lastChange} />
      </td>
      <td class="hm">{isMeasured && <ThreadActivity thread={thread} />}</td>
      <td class="hm">
        <div class="acts">
          <Link
            class="b icon quiet sm"
            to={{ threadId, view: 'files' }}
            aria-label={`Export ${threadId}`}
            title="Export"
          >
            <Icon name="download" />
          </Link>
          {onDelete && (
            <Button
              isSmall
              look="danger"
              icon="trash"
              aria-label={`Delete ${threadId}`}
              onClick={() => onDelete(thread)}
            />
          )}
        </div>
      </td>
    </tr>
  );
}
