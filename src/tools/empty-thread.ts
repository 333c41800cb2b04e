/** What a caller is told whose thread holds nothing: it may have meant another one. */
import { closestNames } from '#graph/names.ts';
import { DEFAULT_OWNER, type Emptiness } from './define.ts';

/** One of the threads that a caller reaches, as `list_threads` tells of it. */
export interface ListedThread {
  readonly threadId: string;
  /** Whose memory in the thread; absent for the thread's own. */
  readonly owner_id?: string;
}

/** Threads that are named in a sentence. */
const THREADS_NAMED_MAX = 10;

/**
 * Such as `Thread 'kestrel' is empty; you have 'Kestrel', 'demo'.` `threads` are those that the
 * caller reaches, undefined when nobody could tell, and `total` is how many there are.
 */
export function describeEmptyThread(
  threadId: string,
  owner: string | undefined,
  emptiness: Emptiness,
  threads: readonly ListedThread[] | undefined,
  total = 0,
): string {
  const isOwn = owner === undefined || owner === DEFAULT_OWNER;
  const what = isOwn
    ? `Thread '${threadId}'`
    : `The memory of owner_id '${owner}' in '${threadId}'`;
  if (emptiness === 'emptied') {
    return `${what} is empty now: everything was deleted; get_recent_changes shows by which calls.`;
  }
  if (threads === undefined) return `${what} is empty.`;
  const label = toLabel({ threadId, ...(!isOwn && { owner_id: owner }) });
  const others = threads.map(toLabel).filter((other) => other !== label);
  if (others.length === 0) return `${what} is empty, and you have no other.`;
  const labels = [...new Set([...closestNames(label, others), ...others])];
  const unlisted = Math.max(0, total - threads.length);
  return `${what} is empty; you have ${nameSome(labels, unlisted)}.`;
}

/** Such as `'Kestrel', 'demo' and 3 more`; `unlisted` is how many there are beside the labels. */
export function nameSome(labels: readonly string[], unlisted: number): string {
  const named = labels.slice(0, THREADS_NAMED_MAX);
  const more = labels.length - named.length + unlisted;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export function toLabel({ threadId, owner_id: owner }: ListedThread): string {
  return owner === undefined ? `'${threadId}'` : `'${threadId}' (owner_id '${owner}')`;
}

/** The answer with the sentence at the end of its note. */
export function addNote<Value extends Record<string, unknown>>(
  value: Value,
  sentence: string,
): Value {
  const { note } = value;
  return { ...value, note: typeof note === 'string' ? `${note} ${sentence}` : sentence };
}
