import { useState } from 'preact/hooks';
import { Link } from '../app/link.tsx';
import { useRecall } from '../data/thread.ts';
import { Button } from '../kit/button.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { Loading } from '../kit/loading.tsx';
import { Problem } from '../kit/problem.tsx';
import { visibleText } from '../text/safe-text.ts';
import {
  countTokens,
  readBriefing,
  type BriefingLine,
  type BriefingPart,
} from '../text/briefing-lines.ts';
import type { AskedProps } from './found-list.tsx';
import { TokenBar } from './token-bar.tsx';

export interface BriefingProps extends AskedProps {
  readonly maxTokens: number;
  readonly onTokens: (max: number) => void;
}

const TOKENS_MAX = 8_000;

/** What a model gets from `recall`, word for word; each line leads to its fact. */
export function Briefing(props: BriefingProps) {
  const { threadId, query, entityType, at, maxTokens, onTokens, lit, onLight } = props;
  const { value, error, retry } = useRecall(threadId, query, maxTokens, entityType, at);
  const [part, setPart] = useState<BriefingPart>();
  const lines = value === undefined ? [] : readBriefing(value.text);
  const more = Math.min(TOKENS_MAX, maxTokens * 2);
  return (
    <section class="briefing" aria-label="What a model gets">
      <div class="panel-h">
        <h2>What a model gets</h2>
        <span class="mut hide-s">recall, word for word</span>
        <span class="sp" />
        {value && <CopyButton text={value.text} of="the briefing" />}
      </div>
      {value && (
        <TokenBar tokens={countTokens(value.text, lines)} max={maxTokens} onPart={setPart} />
      )}
      <div class="scroll sp">
        {error && <Problem error={error} retry={retry} />}
        {value === undefined && !error && <Loading rows={8} />}
        <div class="brief">
          {lines.map((line, i) => (
            <Line
              key={i}
              line={line}
              isLit={
                (part !== undefined && line.part === part) || (lit !== undefined && line.id === lit)
              }
              onLight={onLight}
            />
          ))}
        </div>
      </div>
      {value && (
        <div class="lo">
          <h2>Left out</h2>
          <span class="ell" title={value.note}>
            {value.leftOut === 0 ? 'nothing' : (value.note ?? `${value.leftOut} that had no room`)}
          </span>
          <span class="sp" />
          {value.leftOut > 0 && maxTokens < TOKENS_MAX && (
            <Button isSmall onClick={() => onTokens(more)}>
              Ask with {more.toLocaleString('en-US')}
            </Button>
          )}
        </div>
      )}
    </section>
  );
}

interface LineProps {
  readonly line: BriefingLine;
  readonly isLit: boolean;
  readonly onLight: (id: string | undefined) => void;
}

function Line({ line, isLit, onLight }: LineProps) {
  const { kind, text, id, tag, says, entity } = line;
  const light = isLit ? ' on' : '';
  if (kind === 'opening') return <span class="op">{visibleText(text)}</span>;
  if (kind === 'heading') return <span class={`hd${light}`}>{visibleText(text)}</span>;
  const tagged = id && (
    <>
      - [<span class="tag">{id}</span>
      {tag}] {visibleText(says ?? '')}
    </>
  );
  if (entity === undefined || !id) {
    return (
      <span class={`ln${light}`} dir="auto">
        {tagged || visibleText(text)}
      </span>
    );
  }
  return (
    <Link
      class={`ln${light}`}
      dir="auto"
      to={{ view: 'graph', entity, open: id }}
      onMouseEnter={() => onLight(id)}
      onMouseLeave={() => onLight(undefined)}
    >
      {tagged}
    </Link>
  );
}
