/** Who uses the page, and what the credential allows. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { SessionAnswer } from '#http/wire.ts';

export interface Rights {
  /** Add, correct, rename. */
  readonly write: boolean;
  /** Delete, merge, undo. */
  readonly remove: boolean;
}

export interface Session extends SessionAnswer {
  readonly actor: string;
  readonly rights: Rights;
}

/** Undefined where the request came without a good credential. */
export function toSession(answer: SessionAnswer): Session | undefined {
  const { principal } = answer;
  if (principal === undefined || principal === null) return undefined;
  const remove = principal.scopes.includes('memory:admin');
  return {
    ...answer,
    actor: principal.actor,
    rights: { remove, write: remove || principal.scopes.includes('memory:write') },
  };
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** Below `App` alone, which shows nothing else before there is a session. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('A view is shown within a session alone.');
  return session;
}
