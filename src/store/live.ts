/** A node whose time has not passed. The job that archives the others follows a little later. */
export const UNEXPIRED = /* sql */ `(node.expires_at IS NULL OR node.expires_at > unixepoch('subsec') * 1000)`;

/** What every read of a node asks for: not outdated, not archived, not expired. */
export const LIVE = /* sql */ `node.status = 'active' AND ${UNEXPIRED}`;
