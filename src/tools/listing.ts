/** A tool as `tools/list` shows it. Made once per isolate and kept, since nothing in it changes. */
import type { Limits } from '#limits.ts';
import type { Effect, Tool } from './define.ts';
import type { JsonSchema } from './json-schema.ts';
import { openSchema } from './open-schema.ts';

/** The behaviour hints of the protocol. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema & { type: 'object' };
  outputSchema: JsonSchema & { type: 'object' };
  annotations: ToolHints;
}

/** `full` publishes every limit as a keyword, `open` in words, for clients that would refuse a call themselves. */
export type SchemaForm = 'full' | 'open';

export interface ListingOptions {
  readonly limits: Limits;
  /** True when the URL names the thread, so that no tool asks for it. */
  readonly isBound: boolean;
  /** `full` when left out. */
  readonly form?: SchemaForm | undefined;
}

export function listTool(tool: Tool, { limits, isBound, form }: ListingOptions): ListedTool {
  const isNamed = isBound || tool.host === 'directory';
  const own = isNamed ? tool.inputSchema : withThreadId(tool.inputSchema);
  const input = fillLimits({ type: 'object' as const, ...own, ...closeEmpty(own) }, limits);
  return {
    name: tool.name,
    title: tool.title,
    description: fillLimits(tool.description, limits),
    inputSchema: form === 'open' ? { type: 'object', ...openSchema(input) } : input,
    outputSchema: outline(tool.outputSchema),
    annotations: hintsOf(tool.effect),
  };
}

/** OpenAI's strict mode takes an object without fields for one with any, unless it says that it has none. */
function closeEmpty(schema: JsonSchema): { additionalProperties?: false } {
  const isEmpty = Object.keys((schema['properties'] ?? {}) as JsonSchema).length === 0;
  return isEmpty ? { additionalProperties: false } : {};
}

export function hintsOf(effect: Effect): ToolHints {
  return {
    readOnlyHint: effect === 'read',
    destructiveHint: effect !== 'read' && effect !== 'add',
    idempotentHint: effect !== 'add',
    openWorldHint: false,
  };
}

function withThreadId(schema: JsonSchema): JsonSchema {
  const required = (schema['required'] as string[] | undefined) ?? [];
  return {
    ...schema,
    properties: {
      threadId: {
        type: 'string',
        description: 'Conversation or project ID.',
      },
      ...(schema['properties'] as JsonSchema | undefined),
    },
    required: ['threadId', ...required],
  };
}

/**
 * Puts a deployment's limits in place of `{observationCharsMax}` and the like. A value that is
 * nothing but a placeholder becomes a number.
 */
function fillLimits<Value>(value: Value, limits: Limits): Value {
  const isLimit = (name: string): name is keyof Limits => Object.hasOwn(limits, name);
  const text = JSON.stringify(value)
    .replace(/"\{(\w+)\}"/g, (all, name: string) => (isLimit(name) ? String(limits[name]) : all))
    .replace(/\{(\w+)\}/g, (all, name: string) => (isLimit(name) ? String(limits[name]) : all));
  return JSON.parse(text) as Value;
}

/**
 * The fields of an answer and their types, no deeper: a client validates with it, a model never
 * sees it, and every connection pays for it. The docs print the whole schema.
 */
function outline(schema: JsonSchema): JsonSchema & { type: 'object' } {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  return {
    type: 'object',
    properties: Object.fromEntries(properties.map(([name, field]) => [name, outlineField(field)])),
  };
}

/** Some clients read one type a field only, so that a nullable one is spelled as a choice. */
function outlineField({ type, anyOf }: JsonSchema): JsonSchema {
  if (anyOf !== undefined) return { anyOf };
  return Array.isArray(type) ? { anyOf: type.map((one: unknown) => ({ type: one })) } : { type };
}
