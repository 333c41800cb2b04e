/** A JSON Schema as plain data (draft 2020-12). */
export type JsonSchema = Record<string, unknown>;
