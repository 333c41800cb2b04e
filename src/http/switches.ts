/** Parameters of a URL that are on or off. */
import { MemoryError, quote } from '#errors.ts';

/** `?readonly`, `?readonly=1` and `?readonly=true` switch on; `0`, `false` and absence do not. */
export function isSwitchedOn(name: string, value: string | undefined): boolean {
  const text = value?.toLowerCase();
  if (text === undefined || text === '0' || text === 'false') return false;
  if (text === '' || text === '1' || text === 'true') return true;
  throw new MemoryError('invalid_input', `${name} is ${quote(value)}.`, {
    hint: `Use ?${name}=1 or leave it out.`,
  });
}
