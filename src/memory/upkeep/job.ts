/** A piece of background work, as the list of jobs and their runner see it. */
export interface Job {
  readonly name: string;
  readonly isEnabled: boolean;
  /** Epoch milliseconds, in the past for work that waits; undefined for none. */
  dueAt(): number | undefined;
  /** Whether it goes on at once while more is due: then its pieces are small and many. */
  readonly isContinuous?: boolean;
  /**
   * A bounded piece; what is left is due again. Doing it twice changes no more than doing it once.
   * A job that computes for long awaits `pause` between slices of at most about 10 ms.
   */
  run(pause: () => Promise<void>): Promise<void> | void;
}
