/** When background work may take its next slice: calls come first. */

/** Milliseconds after a call in which the same client may send its next one. */
const QUIET_MS = 25;
/** Milliseconds that a slice is put off at most: a thread under steady calls gets its vectors too. */
const WAIT_MS_MAX = 30;
/** Milliseconds between two looks whether calls are running. */
const LOOK_EVERY_MS = 5;

export interface Pace {
  /** Runs a call. No slice begins during it, unless one has waited for `WAIT_MS_MAX`. */
  during<Value>(call: () => Promise<Value>): Promise<Value>;
  /** Lets all others have their turn, and waits for a quiet moment as long as a slice may wait. */
  pause(): Promise<void>;
}

/**
 * When anybody was last busy in this isolate, whose objects share one thread of execution. A time
 * and no count: what is broken off does not hold up background work for ever.
 */
let busyAt = 0;

/** Tells background work of this isolate that a request is on its way. */
export function noteActivity(): void {
  busyAt = Date.now();
}

/** One for each object. */
export function openPace(): Pace {
  let calls = 0;
  return {
    async during(call) {
      calls += 1;
      noteActivity();
      try {
        return await call();
      } finally {
        calls -= 1;
        noteActivity();
      }
    },

    async pause() {
      const until = Date.now() + WAIT_MS_MAX;
      await turn(0);
      while ((calls > 0 || Date.now() < busyAt + QUIET_MS) && Date.now() < until) {
        // oxlint-disable-next-line no-await-in-loop
        await turn(LOOK_EVERY_MS);
      }
    },
  };
}

/** A turn of the event loop, in which other events of the object and of the isolate are handled. */
function turn(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
