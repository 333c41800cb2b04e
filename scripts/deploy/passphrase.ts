/** The passphrase by which the owner signs in. It is kept as a secret of the Worker and nowhere here. */
import { randomInt } from 'node:crypto';
import { OWNER_PASSPHRASE_CHARS_MIN } from '#auth/limits.ts';
import { CommandError } from '../support/command-error.ts';
import type { Terminal } from './terminal.ts';

export interface Passphrase {
  readonly text: string;
  /** Its owner has not seen it yet. */
  readonly isGenerated: boolean;
}

/** Neither 0 nor o, neither 1 nor l nor i: it may be copied by hand. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const GROUPS = 5;
const GROUP_CHARS = 5;

/** 25 characters of 31, so 123 bits, in groups. */
export function generatePassphrase(): string {
  const group = () =>
    Array.from({ length: GROUP_CHARS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

/** Asks until there is one that will do; an empty answer has one made. */
export async function askPassphrase(terminal: Terminal): Promise<Passphrase> {
  for (;;) {
    const text = await terminal.askHidden(
      `A passphrase to sign in with, ${OWNER_PASSPHRASE_CHARS_MIN} characters or more (empty: one is made for you): `,
    );
    if (text === '') return { text: generatePassphrase(), isGenerated: true };
    if (!isLongEnough(text)) {
      terminal.say(`That is shorter than ${OWNER_PASSPHRASE_CHARS_MIN} characters.`);
    } else if ((await terminal.askHidden('Once more: ')) === text) {
      return { text, isGenerated: false };
    } else {
      terminal.say('Those were not the same.');
    }
  }
}

/** The one that the environment brings. Throws `CommandError` if it would not do. */
export function takePassphrase(text: string): Passphrase {
  const trimmed = text.trim();
  if (isLongEnough(trimmed)) return { text: trimmed, isGenerated: false };
  throw new CommandError(
    `OWNER_PASSPHRASE in the environment is shorter than ${OWNER_PASSPHRASE_CHARS_MIN} characters. Nothing was changed.`,
  );
}

function isLongEnough(text: string): boolean {
  return Array.from(text).length >= OWNER_PASSPHRASE_CHARS_MIN;
}
