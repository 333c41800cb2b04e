/** How a node stands: in use, no longer true, or put away. Only an active one is in ordinary answers. */
export type NodeStatus = 'active' | 'outdated' | 'archived';

/** What a search can find. */
export type FindableStatus = Exclude<NodeStatus, 'archived'>;
