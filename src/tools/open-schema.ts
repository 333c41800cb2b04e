/**
 * The same schema with its limits in the descriptions alone, for clients that check arguments before they call:
 * theirs is a schema error, ours says how to split a text or which relation is missing.
 */
import { mapSchema, type JsonSchema } from './json-schema.ts';

export function openSchema(schema: JsonSchema): JsonSchema {
  return mapSchema(mapSchema(schema, withoutRequiredLists), withLimitsInWords);
}

/** A list that must have an item is as good as missing when it has none; only what a tool begins with is always asked for. */
function withoutRequiredLists(schema: JsonSchema, path: readonly string[]): JsonSchema {
  const required = schema['required'] as string[] | undefined;
  if (required === undefined || path.length === 0) return schema;
  const fields = schema['properties'] as Record<string, JsonSchema>;
  return {
    ...schema,
    required: required.filter((name) => fields[name]?.['minItems'] === undefined),
  };
}

function withLimitsInWords(schema: JsonSchema): JsonSchema {
  const { minItems, maxItems, minLength, maxLength, minimum, maximum, exclusiveMinimum, ...open } =
    schema;
  const described = open['description'] as string | undefined;
  const limits = [
    sayRange(minItems, maxItems, ' items'),
    sayRange(minLength, maxLength, ' chars'),
    sayRange(minimum, maximum, ''),
    exclusiveMinimum === undefined ? undefined : `Above ${JSON.stringify(exclusiveMinimum)}.`,
  ].filter((limit) => limit !== undefined && !isSaid(described, limit));
  const words = [described, ...limits].filter((text) => text !== undefined);
  return words.length === 0 ? open : { ...open, description: words.join(' ') };
}

function sayRange(least: unknown, most: unknown, unit: string): string | undefined {
  if (least === undefined && most === undefined) return undefined;
  const [low, high] = [least, most].map((limit) => JSON.stringify(limit));
  if (most === undefined) return `At least ${low}${unit}.`;
  const isCapped = least === undefined || (least === 0 && unit !== '');
  return isCapped ? `At most ${high}${unit}.` : `${low} to ${high}${unit}.`;
}

/** Whether a description names the greater number already. */
function isSaid(description: string | undefined, limit: string): boolean {
  const greatest = /\d+(?=\D*$)/.exec(limit)?.[0];
  return description !== undefined && new RegExp(`\\b${greatest}\\b`).test(description);
}
