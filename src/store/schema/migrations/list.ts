/** The schema of a thread, as a list that only grows. `migrate.ts` applies it. */
import * as initial from './0001-initial.ts';

export interface Migration {
  /** Four digits and what it brings, such as `0002_vector`. They are applied in the order of their ids. */
  readonly id: string;
  /**
   * `hashText` of its statements. A constant, so that a thread that wakes need not hash them; a test
   * compares it. A thread that has applied another text is refused.
   */
  readonly checksum: number;
  /** Its statements. A migration imports nothing from the application: later code cannot change what it did. */
  up(): string;
}

export const MIGRATIONS: readonly Migration[] = [
  { id: '0001_initial', checksum: initial.CHECKSUM, up: initial.up },
];
