/** A node whose time has not passed. The job that archives the others follows a little later. */
export const UNEXPIRED = /* sql */ `(node.expires_at IS NULL OR node.expires_at > unixepoch('subsec') * 1000)`;

/** What every read of a node asks for: not outdated, not archived, not expired. */
export const LIVE = /* sql */ `node.status = 'active' AND ${UNEXPIRED}`;

/** The same of an entity, from its own row: the status and the expiry of its node stand there too. */
export function isShown(entity: 'entity' | 'source' | 'target'): string {
  return `(${entity}.hidden_from IS NULL OR ${entity}.hidden_from > unixepoch('subsec') * 1000)`;
}

/** A fact about an entity that is in no answer is in none either. */
export const ABOUT_SHOWN = /* sql */ `(fact.entity_id IS NULL OR fact.entity_id NOT IN (
    SELECT node_id FROM entity WHERE hidden_from <= unixepoch('subsec') * 1000))`;

/** The same where what is outdated may be found: an entity that is archived or has expired may not. */
export const ABOUT_FINDABLE = /* sql */ `(fact.entity_id IS NULL OR fact.entity_id NOT IN (
    SELECT about.node_id FROM entity AS about CROSS JOIN node AS its ON its.id = about.node_id
    WHERE about.hidden_from <= unixepoch('subsec') * 1000
      AND (its.status = 'archived' OR its.expires_at <= unixepoch('subsec') * 1000)))`;
