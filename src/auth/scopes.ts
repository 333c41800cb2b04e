/** What a credential may do. Each scope includes the ones before it. */
import { MemoryError } from '#errors.ts';

export const SCOPES = ['memory:read', 'memory:write', 'memory:admin'] as const;

export type Scope = (typeof SCOPES)[number];

export const READ: Scope = 'memory:read';
export const WRITE: Scope = 'memory:write';
export const ADMIN: Scope = 'memory:admin';

/** What a client is asked to request first: enough to remember, and nothing that takes away. */
export const BASELINE_SCOPES: readonly Scope[] = [READ, WRITE];

/** In the words of the pages on which an owner grants them. */
export const SCOPE_TITLES: Readonly<Record<Scope, string>> = {
  'memory:read': 'Read',
  'memory:write': 'Read and write',
  'memory:admin': 'Read, write and delete',
};

/** What they mean, below their titles. */
export const SCOPE_NOTES: Readonly<Record<Scope, string>> = {
  'memory:read': 'It changes nothing.',
  'memory:write': 'What it replaces is kept, and can be had back.',
  'memory:admin': 'Also undo, merge, stop a thread and forget its history.',
};

/**
 * Adding and superseding keep what was there before. Removing does not, and stopping a thread takes
 * it from everyone: both need more.
 */
export function scopeOfEffect(effect: 'read' | 'add' | 'change' | 'remove' | 'control'): Scope {
  switch (effect) {
    case 'read':
      return READ;
    case 'add':
    case 'change':
      return WRITE;
    case 'remove':
    case 'control':
      return ADMIN;
  }
}

export function includesScope(granted: readonly Scope[], needed: Scope): boolean {
  return granted.some((scope) => SCOPES.indexOf(scope) >= SCOPES.indexOf(needed));
}

/** What a caller is told who may not do something. */
export function lackOfScope(scope: Scope): MemoryError {
  return new MemoryError(
    'forbidden',
    `This needs the scope ${scope}, which the credential does not have.`,
    {
      hint: 'Nothing was changed. Sign in again and grant more, or use a token with that scope.',
    },
  );
}

/** The widest of them; undefined for none. */
export function widestScope(scopes: readonly Scope[]): Scope | undefined {
  return SCOPES.findLast((scope) => scopes.includes(scope));
}

/** The ones that are known, in order, each once: a client may ask for anything. */
export function knownScopes(values: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => values.includes(scope));
}
