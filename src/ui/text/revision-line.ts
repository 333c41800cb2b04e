/** A revision as one readable line: what was done, and to what. */
import type { ListedRevision } from '#http/wire.ts';

export interface RevisionText {
  readonly text: string;
  /** The first thing that it is about, such as an entity; empty where nothing is named. */
  readonly subject: string;
}

const VERBS: Readonly<Record<string, string>> = {
  update_observation: 'Corrected a fact about',
  rename_entity: 'Renamed',
  merge_entities: 'Merged into',
  undo_revision: 'Took back',
  undo_actor: 'Took back all of one actor',
  import_database: 'Imported',
  import: 'Imported',
  summarize_sessions: 'Summarised sessions',
  compact: 'Compacted the history',
  'job:expiry': 'Let facts expire',
  'job:deduplication': 'Marked facts as outdated',
  add_memory: 'Logged',
};

/** Words for `save_memory added 3 entities, 6 relations`. */
export function describeRevision({ tool, summary, what }: ListedRevision): RevisionText {
  const subject = subjectOf(what);
  const verb = VERBS[tool];
  if (verb !== undefined) return { text: verb, subject };
  const done = summary.startsWith(`${tool} `) ? summary.slice(tool.length + 1) : summary;
  const plain = done.replaceAll('observation', 'fact');
  const text = plain.charAt(0).toUpperCase() + plain.slice(1);
  return subject === '' ? { text, subject } : { text: `${text}:`, subject };
}

/** The name in a line such as `+ Ada: Lives in London` or `- Bob (Person)`. */
function subjectOf(what: readonly string[]): string {
  const entity = what.map((line) => /^[+~-] (.+) \([^()]+\)$/.exec(line)?.[1]).find(Boolean);
  if (entity !== undefined) return entity;
  const [line = ''] = what;
  return /^[+~-] (.+?)(?:: | → |$)/.exec(line)?.[1] ?? '';
}
