import type { QualityWire } from '#http/wire.ts';
import { formatCount } from '../text/numbers.ts';
import { qualityMeters } from '../text/quality-meters.ts';

/** The metrics of quality against their targets. */
export function Quality({ quality }: { readonly quality: QualityWire }) {
  return (
    <section class="box grid4" aria-label="Quality">
      {qualityMeters(quality).map(({ title, value, target, share, mark, isMet }) => (
        <div class="met" key={title}>
          <h3>{title}</h3>
          <p class="r">
            <span class="v1">{value ?? '–'}</span>
            <span class="note">target {target}</span>
            {isMet === false && <span class="chip warn">off target</span>}
          </p>
          <svg
            viewBox="0 0 100 8"
            preserveAspectRatio="none"
            class="meter"
            role="img"
            aria-label={`${title}: ${value ?? 'nothing to measure'}, target ${target}`}
          >
            <rect class="track" width="100" height="8" />
            <rect class={isMet === false ? 'off' : 'on'} width={share * 100} height="8" />
            <rect class="mark" x={Math.min(99, mark * 100)} width="1" height="8" />
          </svg>
        </div>
      ))}
      <p class="note met-note">
        {formatCount(quality.saves_accepted)} saves were stored,{' '}
        {formatCount(quality.saves_rejected)} refused.
      </p>
    </section>
  );
}
