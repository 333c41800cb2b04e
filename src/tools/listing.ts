/** A tool as `tools/list` shows it. Made once per isolate and kept, since nothing in it changes. */
import type { Limits } from '#limits.ts';
import type { Effect, Tool } from './define.ts';
import type { JsonSchema } from './json-schema.ts';
import { openSchema } from './open-schema.ts';

/** The behaviour hints of the protocol, each told. */
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
  annotations: Partial<ToolHints>;
}

/** `full` publishes every limit as a keyword, `open` in words, for clients that would refuse a call themselves. */
export type SchemaForm = 'full' | 'open';

export interface ListingOptions {
  readonly limits: Limits;
  /** True when the URL names the thread, so that no tool asks for it. */
  readonly isBound: boolean;
  /** True to list every limit, for documents: a model is spared those that it never meets. */
  readonly hasAllLimits?: boolean;
  /** `full` when left out. */
  readonly form?: SchemaForm | undefined;
}

export function listTool(
  tool: Tool,
  { limits, isBound, form, hasAllLimits = false }: ListingOptions,
): ListedTool {
  const isNamed = isBound || tool.host === 'directory';
  const whole = hasAllLimits ? tool.inputSchema : withoutGuards(tool.inputSchema);
  const own = isNamed ? whole : withThreadId(whole, tool.effect);
  const input = fillLimits({ type: 'object' as const, ...own, ...closeEmpty(own) }, limits);
  return {
    name: tool.name,
    title: tool.title,
    description: fillLimits(tool.description, limits),
    inputSchema: form === 'open' ? { type: 'object', ...openSchema(input) } : input,
    outputSchema: outline(tool.outputSchema),
    annotations: listedHints(hintsOf(tool.effect)),
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

/** Without what the protocol takes for granted: only a tool that writes is destructive or idempotent. */
function listedHints({ readOnlyHint, openWorldHint, ...hints }: ToolHints): Partial<ToolHints> {
  if (readOnlyHint) return { readOnlyHint, openWorldHint };
  const { destructiveHint, idempotentHint } = hints;
  return { destructiveHint, ...(idempotentHint && { idempotentHint }), openWorldHint };
}

/** A thread may be named that does not exist yet where something is added: there the id is explained. */
function withThreadId(schema: JsonSchema, effect: Effect): JsonSchema {
  const required = (schema['required'] as string[] | undefined) ?? [];
  return {
    ...schema,
    properties: {
      threadId: {
        type: 'string',
        ...(effect === 'add' && { description: 'Project or topic.' }),
      },
      ...(schema['properties'] as JsonSchema | undefined),
    },
    required: ['threadId', ...required],
  };
}

/**
 * A short text that may be empty is a filter, or names what exists: ids, names, cursors and times.
 * Its length is checked, and not listed, since no caller plans by it.
 */
function withoutGuards<Value>(schema: Value): Value {
  if (Array.isArray(schema)) return schema.map(withoutGuards) as Value;
  if (typeof schema !== 'object' || schema === null) return schema;
  const { minLength, maxLength } = schema as { minLength?: unknown; maxLength?: unknown };
  const isGuard = minLength === undefined && Number(maxLength) <= GUARD_CHARS_MAX;
  const kept = Object.entries(schema).filter(([key]) => !(isGuard && key === 'maxLength'));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutGuards(value)])) as Value;
}

/** As long as a name. */
const GUARD_CHARS_MAX = 100;

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
 * The names of an answer's fields, no more: some clients pass on no field that is not named, a model
 * never sees it, and every connection pays for it. The docs print the whole schema.
 */
function outline(schema: JsonSchema): JsonSchema & { type: 'object' } {
  const names = Object.keys((schema['properties'] ?? {}) as JsonSchema);
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) };
}
