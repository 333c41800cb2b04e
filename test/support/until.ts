/** Waits for what happens by itself, such as an alarm. */

const LOOK_EVERY_MS = 5;
const WAIT_MS_MAX = 60_000;

/**
 * Resolves when `isSo` holds. Throws after a minute: a loop that goes on beyond its test takes the
 * runtime from every other one. It sleeps between two looks, because workerd handles no timer of an
 * object while there is always a next event.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endsAt = Date.now() + WAIT_MS_MAX;
  while (!(await isSo())) {
    if (Date.now() > endsAt) throw new Error(`It never came true: ${String(isSo)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
