import { useState } from 'preact/hooks';
import type { ListedRevision } from '#http/wire.ts';
import { useKeys } from '../app/keys.ts';
import { Button } from '../kit/button.tsx';
import { Stored } from '../kit/text.tsx';
import { dayKey, formatClock, formatDay, formatMoment } from '../text/time.ts';
import { formatCount } from '../text/numbers.ts';
import { RevisionLine } from './revision-line.tsx';

export interface RevisionTableProps {
  /** Newest first. */
  readonly revisions: readonly ListedRevision[];
  readonly isCut: boolean;
  /** The moment that is shown; later revisions are marked. */
  readonly at: number | undefined;
  readonly open: number | undefined;
  readonly onOpen: (revision: number | undefined) => void;
  readonly onMore: () => void;
}

/** A row for each revision, by day; `J` and `K` walk. */
export function RevisionTable(props: RevisionTableProps) {
  const { revisions, isCut, at, open, onOpen, onMore } = props;
  const [actor, setActor] = useState('');
  const [tool, setTool] = useState('');
  const shown = revisions.filter(
    (one) => (actor === '' || one.actor === actor) && (tool === '' || one.tool === tool),
  );
  const index = shown.findIndex(({ revision }) => revision === open);
  const step = (by: number) =>
    onOpen(shown[Math.min(Math.max(index + by, 0), shown.length - 1)]?.revision);
  useKeys({ j: () => step(1), k: () => step(-1) });
  return (
    <section class="revisions" aria-label="Revisions">
      <div class="panel-h">
        <h2>Revisions</h2>
        <span class="mut">{formatCount(revisions[0]?.revision ?? 0)}</span>
        <span class="sp" />
        <Filter
          label="Actor"
          all="Every actor"
          value={actor}
          onChange={setActor}
          of={revisions.map((one) => one.actor)}
        />
        <Filter
          label="Tool"
          all="Every tool"
          value={tool}
          onChange={setTool}
          of={revisions.map((one) => one.tool)}
        />
      </div>
      <div class="scroll sp" tabIndex={0} role="region" aria-label="List of revisions">
        <table class="hist">
          <Columns />
          <tbody>
            {shown.map((revision, i) => (
              <RevisionRow
                key={revision.revision}
                {...{ revision, onOpen }}
                before={shown[i - 1]}
                isOpen={revision.revision === open}
                isLater={at !== undefined && revision.revision > at}
              />
            ))}
          </tbody>
        </table>
        {shown.length === 0 && <p class="empty">No revision is of this actor and this tool.</p>}
        {isCut && (
          <p class="empty">
            <Button isSmall onClick={onMore}>
              Show older ones
            </Button>
          </p>
        )}
      </div>
    </section>
  );
}

function Columns() {
  return (
    <>
      <colgroup>
        <col class="revision-col" />
        <col class="time-col" />
        <col class="actor-col" />
        <col />
        <col class="tool-col" />
      </colgroup>
      <thead class="sr">
        <tr>
          <th>Revision</th>
          <th>Time</th>
          <th>Actor</th>
          <th>What</th>
          <th>Tool</th>
        </tr>
      </thead>
    </>
  );
}

interface RevisionRowProps {
  readonly revision: ListedRevision;
  /** The row above, whose day needs no other head. */
  readonly before: ListedRevision | undefined;
  readonly isOpen: boolean;
  readonly isLater: boolean;
  readonly onOpen: (revision: number) => void;
}

function RevisionRow({ revision, before, isOpen, isLater, onOpen }: RevisionRowProps) {
  const { revision: id, at, actor, tool } = revision;
  const time = new Date(at);
  const isNewDay = before === undefined || dayKey(new Date(before.at)) !== dayKey(time);
  const look = [isOpen && 'sel', isLater && 'later'].filter(Boolean).join(' ');
  return (
    <>
      {isNewDay && (
        <tr class="day">
          <td colSpan={5}>{formatDay(at)}</td>
        </tr>
      )}
      <tr class={look} onClick={() => onOpen(id)}>
        <td class="id">
          <button
            type="button"
            class="link"
            aria-current={isOpen ? 'true' : undefined}
            onClick={(event) => {
              event.stopPropagation();
              onOpen(id);
            }}
          >
            {id}
          </button>
        </td>
        <td class="mut" title={formatMoment(at)}>
          {formatClock(time)}
        </td>
        <td class="ink2 c3">
          <Stored text={actor} />
        </td>
        <td>
          <RevisionLine revision={revision} />
        </td>
        <td class="tool hide-s num">{tool}</td>
      </tr>
    </>
  );
}

interface FilterProps {
  readonly label: string;
  readonly all: string;
  readonly value: string;
  readonly of: readonly string[];
  readonly onChange: (value: string) => void;
}

function Filter({ label, all, value, of, onChange }: FilterProps) {
  return (
    <select
      class="in hide-s"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value="">{all}</option>
      {[...new Set(of)].toSorted().map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}
