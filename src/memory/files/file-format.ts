/** What the header of a file says of it. */

export const ARCHIVE_FORMAT = 'skein';
export const ARCHIVE_VERSION = 1;

/** Records of each kind in a file. */
export interface ArchiveCounts {
  readonly entities: number;
  readonly facts: number;
  readonly turns: number;
  readonly summaries: number;
  readonly edges: number;
  readonly versions: number;
  readonly revisions: number;
  readonly changes: number;
}
