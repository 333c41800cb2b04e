/**
 * Which turns belong to a session and which summaries to a category, in memory: so that a search by
 * meaning within one of them compares nothing else. Loaded by the first question that wants it.
 */
import type { Scope } from '#store/search/session-scope.ts';
import type { Store } from '#store/store.ts';

export interface ScopeIndex {
  members(scope: Scope): Iterable<number>;
  /** Brings it up to date on nodes that were written or deleted. */
  follow(touched: readonly number[]): void;
}

const NONE: ReadonlySet<number> = new Set();

export function openScopeIndex(store: Store): ScopeIndex {
  const membersOf = new Map<string, Set<number>>();
  const scopeOf = new Map<number, Scope>();
  let isLoaded = false;

  function join(nodeId: number, scope: Scope): void {
    scopeOf.set(nodeId, scope);
    for (const key of keysOf(scope)) {
      const members = membersOf.get(key) ?? new Set();
      membersOf.set(key, members.add(nodeId));
    }
  }

  function leave(nodeId: number): void {
    const scope = scopeOf.get(nodeId);
    if (scope === undefined) return;
    scopeOf.delete(nodeId);
    for (const key of keysOf(scope)) {
      const members = membersOf.get(key);
      members?.delete(nodeId);
      if (members?.size === 0) membersOf.delete(key);
    }
  }

  return {
    members(scope) {
      if (!isLoaded) {
        for (const { nodeId, scope: own } of store.scopes.list()) join(nodeId, own);
        isLoaded = true;
      }
      return membersOf.get(keyOf(scope)) ?? NONE;
    },
    follow(touched) {
      if (!isLoaded) return;
      for (const nodeId of touched) leave(nodeId);
      for (const { nodeId, scope } of store.scopes.find(touched)) join(nodeId, scope);
    },
  };
}

/** A node belongs to its label and to its kind. */
function keysOf(scope: Scope): string[] {
  return [keyOf(scope), keyOf({ ...scope, label: null })];
}

function keyOf({ kind, label }: Scope): string {
  return label === null ? kind : `${kind}:${label}`;
}
