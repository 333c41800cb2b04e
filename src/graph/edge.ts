/** A directed, typed edge. Between two entities it is a relation. */

export interface Edge {
  readonly fromId: number;
  readonly toId: number;
  readonly type: string;
}

/** A relation as clients read it: by names. */
export interface Relation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
  readonly importance: number;
  readonly createdAt: number;
}

/** Seed 000's default for a relation in `save_memory`. */
export const DEFAULT_RELATION_IMPORTANCE = 0.7;
