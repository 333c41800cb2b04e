/** How much one `forget` looks at and removes. */

/** Nodes that one `forget` deletes: each costs some twenty rows written. */
export const FORGET_NODES_MAX = 5_000;
/** Mentions that it finds, and ids that it is told to take with it. */
export const FORGET_MENTIONS_MAX = 200;
/** Changed rows of a history that it goes through: about two seconds. */
export const FORGET_CHANGES_MAX = 500_000;
/** Pages of 4 kB of each text index that it merges itself; the background job goes on. */
export const FORGET_PAGES_MAX = 2_000;
/** Texts that are looked for besides. */
export const FORGET_PHRASES_MAX = 10;
