/** A filter may hold back most of what a search finds; then the search looks further. */

/** When less than this share of what was wanted passes, so many times as much is examined … */
const SHARE_KEPT_MIN = 0.25;
const WIDENING = 4;
/** … and that so often at most. */
const WIDENINGS_MAX = 2;

/**
 * Calls `examine` with a growing number of hits until enough of them pass, or until there are no
 * more. Returns what passed in the end. `examined` is how many there were to look at.
 */
export function widen<Kept>(
  limit: number,
  examine: (hits: number) => { readonly examined: number; readonly kept: Kept[] },
): Kept[] {
  let hits = limit;
  for (let widenings = 0; ; widenings += 1) {
    const { examined, kept } = examine(hits);
    const isEnough = kept.length >= limit * SHARE_KEPT_MIN || examined < hits;
    if (isEnough || widenings === WIDENINGS_MAX) return kept;
    hits *= WIDENING;
  }
}
