import type { ObservationWire } from '#http/wire.ts';
import { Diff } from '../kit/diff.tsx';
import { Stored } from '../kit/text.tsx';
import { formatMoment } from '../text/time.ts';

/** The versions of a fact, newest first, each with its difference to the one before. */
export function VersionTimeline({ versions }: { readonly versions: readonly ObservationWire[] }) {
  const newest = versions.toReversed();
  return (
    <ol class="tl" aria-label="Versions, newest first">
      {newest.map((version, i) => {
        const before = newest[i + 1];
        return (
          <li key={version.id} class={i === 0 ? 'cur' : undefined}>
            {before === undefined ? (
              <Stored text={version.content} />
            ) : (
              <Diff before={before.content} after={version.content} />
            )}
            <div class="m note">
              v{version.version} · {formatMoment(version.timestamp)} · {version.id}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
