/** Names under which writes stand in the history. Whoever comes in must not pass for somebody else. */
import { TOKEN_NAME_CHARS_MAX } from './limits.ts';

/** What the server does by itself, and whoever asks on the machine itself. */
const RESERVED = new Set(['skein', 'local']);

export function isReservedActor(name: string): boolean {
  return RESERVED.has(name.toLowerCase());
}

/**
 * The name of a client as it may be shown and written down: in one line, with nothing invisible
 * (U+2800, the empty Braille cell, included) or of another direction in it, cut to the length of a token's name. A client may call itself anything.
 */
export function actorOfClient(name: string): string {
  const line = name
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Z}]+/gu, ' ')
    .replaceAll(/[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu, '')
    .trim();
  const chars = Array.from(line);
  const isLong = chars.length > TOKEN_NAME_CHARS_MAX;
  const shown = isLong ? `${chars.slice(0, TOKEN_NAME_CHARS_MAX - 1).join('')}…` : line;
  if (shown === '') return 'unnamed client';
  return isReservedActor(shown) ? `${shown} (client)` : shown;
}
