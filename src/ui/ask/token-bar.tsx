import type { BriefingPart, BriefingTokens } from '../text/briefing-lines.ts';
import { formatCount } from '../text/numbers.ts';

interface TokenBarProps {
  readonly tokens: BriefingTokens;
  readonly max: number;
  /** Lights the lines of a part while the pointer is on it. */
  readonly onPart: (part: BriefingPart | undefined) => void;
}

const PARTS: readonly (readonly [BriefingPart, string, string])[] = [
  ['facts', 'Facts', 'k1'],
  ['relations', 'Relations', 'k2'],
  ['summaries', 'Summaries', 'k3'],
  ['turns', 'Turns', 'k4'],
];

/** How the room of a briefing is used. */
export function TokenBar({ tokens, max, onPart }: TokenBarProps) {
  const { total, parts } = tokens;
  const shown = PARTS.filter(([part]) => parts[part] > 0);
  const words = shown.map(([part, title]) => `${title.toLowerCase()} ${parts[part]}`).join(', ');
  return (
    <div class="tok">
      <div class="row">
        <span class="strong">{formatCount(total)}</span>
        <span class="mut">of {formatCount(max)} tokens</span>
        <span class="sp" />
        <span class="note">estimated from above</span>
      </div>
      <div class="tokbar" role="img" aria-label={`${total} of ${max} tokens: ${words}`}>
        {shown.map(([part, , look]) => (
          <i key={part} class={look} style={{ width: `${(parts[part] / max) * 100}%` }} />
        ))}
      </div>
      <div class="key">
        {shown.map(([part, title, look]) => (
          <span key={part} onMouseEnter={() => onPart(part)} onMouseLeave={() => onPart(undefined)}>
            <i class={look} />
            {title} {parts[part]}
          </span>
        ))}
      </div>
    </div>
  );
}
