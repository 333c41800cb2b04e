/** Parameters of a URL that change what a connection is. */
import { MemoryError, quote } from '#errors.ts';
import type { SchemaForm } from '#tools/listing.ts';

/** `?readonly`, `?readonly=1` and `?readonly=true` switch on; `0`, `false` and absence do not. */
export function isSwitchedOn(name: string, value: string | undefined): boolean {
  const text = value?.toLowerCase();
  if (text === undefined || text === '0' || text === 'false') return false;
  if (text === '' || text === '1' || text === 'true') return true;
  throw new MemoryError('invalid_input', `${name} is ${quote(value)}.`, {
    hint: `Use ?${name}=1 or leave it out.`,
  });
}

/** `?schema=open` publishes limits in words alone. Throws `invalid_input` for any other value but `full`. */
export function readSchemaForm(value: string | null): SchemaForm {
  if (value === null || value === 'full') return 'full';
  if (value === 'open') return 'open';
  throw new MemoryError('invalid_input', `schema is ${quote(value)}.`, {
    hint: 'Use ?schema=open, or leave it out.',
  });
}
