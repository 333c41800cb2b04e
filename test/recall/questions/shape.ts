/** What the sets of questions are made of. */

export interface RememberedEntity {
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly string[];
  readonly relations: readonly { readonly targetEntity: string; readonly relationType: string }[];
}

export interface Question {
  readonly query: string;
  /** The facts that answer it, as they are stored: one of them is enough. */
  readonly answers: readonly string[];
}

export interface QuestionSet {
  readonly name: string;
  readonly entities: readonly RememberedEntity[];
  /** Facts that stand alone. */
  readonly memories: readonly string[];
  /** Every second question, from the second on, is held out: none of them was looked at while tuning. */
  readonly questions: readonly Question[];
}

export function ask(query: string, ...answers: readonly string[]): Question {
  return { query, answers };
}

export function entity(
  name: string,
  entityType: string,
  observations: readonly string[],
  ...relations: readonly (readonly [relationType: string, targetEntity: string])[]
): RememberedEntity {
  return {
    name,
    entityType,
    observations,
    relations: relations.map(([relationType, targetEntity]) => ({ relationType, targetEntity })),
  };
}
