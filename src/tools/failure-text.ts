/** The text of a failure for the contracts that have one message and no list of faults. */
import type { ErrorData } from '#errors.ts';

/** Every fault on a line of its own; a single one stands in the message already. */
export function describeFaults({ message, faults = [] }: ErrorData): string {
  if (faults.length < 2) return message;
  return [message, ...faults.map(({ path, problem }) => `${path}: ${problem}`)].join('\n');
}
