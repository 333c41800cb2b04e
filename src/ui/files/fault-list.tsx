import { Stored } from '../kit/text.tsx';
import { countOf } from '../text/numbers.ts';

export interface ListedFault {
  /** From 1. */
  readonly line?: number | undefined;
  readonly problem: string;
  readonly suggestion?: string | undefined;
}

const SHOWN_MAX = 20;

/** What is wrong with a file, line by line. */
export function FaultList({
  faults,
  total,
}: {
  readonly faults: readonly ListedFault[];
  readonly total: number;
}) {
  if (faults.length === 0) return null;
  return (
    <div class="faults" role="alert">
      <p class="med">{countOf(total, 'faulty line')}, nothing is written yet.</p>
      <ul>
        {faults.slice(0, SHOWN_MAX).map(({ line, problem, suggestion }, i) => (
          <li key={i}>
            {line !== undefined && <span class="id">line {line}</span>} <Stored text={problem} />{' '}
            {suggestion && <Stored text={suggestion} class="mut" />}
          </li>
        ))}
      </ul>
      {total > SHOWN_MAX && <p class="note">and {total - SHOWN_MAX} more</p>}
    </div>
  );
}
