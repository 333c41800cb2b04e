/** A JSON Schema as plain data (draft 2020-12). */
export type JsonSchema = Record<string, unknown>;

/** Where a schema is used: `path` is empty for the whole, and each step is a field, or `[]` for the items of a list. */
export type SchemaChange = (schema: JsonSchema, path: readonly string[]) => JsonSchema;

/** The schema with every part changed, the inner ones first. */
export function mapSchema(
  schema: JsonSchema,
  change: SchemaChange,
  path: readonly string[] = [],
): JsonSchema {
  const mapped = { ...schema };
  const fields = schema['properties'] as Record<string, JsonSchema> | undefined;
  if (fields !== undefined) {
    mapped['properties'] = Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        mapSchema(field, change, [...path, name]),
      ]),
    );
  }
  if (schema['items'] !== undefined) {
    mapped['items'] = mapSchema(schema['items'] as JsonSchema, change, [...path, '[]']);
  }
  const branches = schema['anyOf'] as JsonSchema[] | undefined;
  if (branches !== undefined) {
    mapped['anyOf'] = branches.map((branch) => mapSchema(branch, change, path));
  }
  return change(mapped, path);
}
