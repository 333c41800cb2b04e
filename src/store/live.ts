/** What every read of a node asks for: not outdated, not archived, not expired. */
export const LIVE = /* sql */ `node.status = 'active'
  AND (node.expires_at IS NULL OR node.expires_at > unixepoch('subsec') * 1000)`;
