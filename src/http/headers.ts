/** Headers of ours: what there is to say about an answer whose body is a tool's own. */

/** Paths of arguments that the tool does not know, with commas. */
export const IGNORED_HEADER = 'Skein-Ignored';

/** Arguments that came under another name, as in `type as entityType`, with commas. */
export const RENAMED_HEADER = 'Skein-Renamed';

/** What to do about a failure, where the tool's contract has no field for it. */
export const HINT_HEADER = 'Skein-Hint';

/** What there is to know of an answer that has no field for it, such as a file. */
export const NOTE_HEADER = 'Skein-Note';

/** Printable ASCII as it is, and anything else percent-encoded as UTF-8: `decodeURIComponent` reads it. */
export function toHeaderText(text: string): string {
  return text.toWellFormed().replaceAll(/[^ -$&-~]/gu, encodeURIComponent);
}
