/** How a tool is written down. Types are inferred at the definition and erased here, once. */
import * as z from 'zod';
import { addHint, MemoryError, type ErrorData } from '#errors.ts';
import { lazy } from '#graph/lazy.ts';
import type { ThreadDirectory } from '#memory/directory/thread-list.ts';
import type { Memory } from '#memory/memory.ts';
import { mapSchema, type JsonSchema } from './json-schema.ts';
import { findUnknownFields, namePaths, parseInput } from './parse.ts';
import { KEEPS_EMPTY, readArguments, type ReadArguments } from './read-arguments.ts';

/** What a tool does to the graph. Hints, scopes, read-only mode and the docs' badge follow from it. */
export type Effect = 'read' | 'add' | 'change' | 'remove' | 'control';

/** The fields of an object, by their names. */
type Fields = z.ZodRawShape;

/** An object with these fields, before it is parsed. */
type Given<Shape extends Fields> = z.input<z.ZodObject<Shape>>;
/** The same after it was parsed, with its defaults. */
type Parsed<Shape extends Fields> = z.output<z.ZodObject<Shape>>;

/** A call that prepares the thread for an example. */
export interface ExampleStep {
  readonly tool: string;
  readonly input: Record<string, unknown>;
}

export interface ToolExample<Input, Output> {
  /** Calls made before on an empty thread. */
  readonly given?: readonly ExampleStep[];
  readonly input: Input;
  readonly output: Output;
}

/** `Host` is what the tool works on: a thread's memory, or the directory of a subject's threads. */
export interface ToolDefinition<Input extends Fields, Output extends Fields, Host = Memory> {
  /** `verb_noun`; the file is named the same in kebab-case. */
  readonly name: string;
  readonly title: string;
  /** What it does, then the one thing that a caller gets wrong; at most 300 characters. */
  readonly description: string;
  readonly effect: Effect;
  /** What a call does whose arguments make it do more. Sees them read but not checked: what it does not know does the most. */
  effectOf?(args: Readonly<Record<string, unknown>>): Effect;
  /** True for a tool that does not only read and yet answers with what is there, as an export does. */
  readonly tellsContent?: boolean;
  /** True for the few that tell of a stopped thread, or start it. */
  readonly answersWhenStopped?: boolean;
  /** True for a tool that brings back what was there: an admin's call of it has no quota of new nodes. */
  readonly restores?: boolean;
  /**
   * Its arguments without `threadId`: the framework adds that where the URL does not name the thread.
   * A function, as `output` is, since schemas are made when they are first needed.
   */
  input(): Input;
  /** The fields of its answer. */
  output(): Output;
  /** Printed in the docs and run as a test. */
  readonly example: ToolExample<Given<Input>, Parsed<Output>>;
  /** Whether an output tells of a failure: a tool whose contract has a shape for that returns it. */
  isFailure?(output: Parsed<Output>): boolean;
  /** The structured answer to a failed call, where the tool's contract has a shape for it. */
  failure?(error: ErrorData): Record<string, unknown>;
  /** The text of a failed call, where the tool's contract has a form for it. `detail` is ours. */
  failureText?(error: ErrorData, detail: string): string;
  /** The text block, where JSON would read badly. */
  text?(output: Parsed<Output>): string;
  run(input: Parsed<Input>, host: Host): Given<Output> | Promise<Given<Output>>;
}

/** What came of a call, as plain data. */
export interface ToolValue {
  readonly value: Record<string, unknown>;
  /** Paths of arguments that the tool does not know: not used, and not to be passed over in silence. */
  readonly ignored: readonly string[];
  /** Arguments that came under another name, as in `type as entityType`. */
  readonly renamed: readonly string[];
  /** True for an output that tells of a failure, such as a refused save. */
  readonly isFailure: boolean;
  /** Where the tool tells what there is, and the thread holds nothing. */
  readonly emptiness?: Emptiness;
}

/** Why a thread holds nothing: nothing was ever stored, or all of it was deleted. */
export type Emptiness = 'new' | 'emptied';

/** A tool as the catalog, the thread and the docs see it. */
export type Tool = ThreadTool | DirectoryTool;

/** A tool that is answered by the thread that the call names. */
export interface ThreadTool extends ListableTool {
  readonly host: 'thread';
  /** Throws `MemoryError`; anything else that it throws is a bug. */
  call(raw: Record<string, unknown>, memory: Memory): Promise<ToolValue>;
}

/** A tool about all threads of a subject: it names none, and wakes none. */
export interface DirectoryTool extends ListableTool {
  readonly host: 'directory';
  /** Throws as a thread's tool does. */
  call(raw: Record<string, unknown>, directory: ThreadDirectory): Promise<ToolValue>;
}

interface ListableTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Of a call that does no more than the tool must: what a caller may not do in any case is not listed. */
  readonly effect: Effect;
  /** Of a call with these arguments, as they arrived. */
  effectOf(args: Readonly<Record<string, unknown>>): Effect;
  /** True for a tool that tells what there is: of an empty thread its answer says so, in `note`. */
  readonly tellsContent: boolean;
  /** Arguments as they arrived, read as they are meant. */
  read(raw: Readonly<Record<string, unknown>>): ReadArguments;
  /** False for a tool that a stopped thread refuses. */
  readonly answersWhenStopped: boolean;
  /** True for a tool that brings back what was there: an admin's call of it has no quota of new nodes. */
  readonly restores: boolean;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly example: ToolExample<Record<string, unknown>, Record<string, unknown>>;
  /** True when its `owner_id` chooses among the memories of a thread. */
  readonly hasOwner: boolean;
  /** True when some of its outputs tell of a failure. */
  readonly canRefuse: boolean;
  /** The text block for a value that `call` gave; undefined for its JSON. */
  text(value: Record<string, unknown>): string | undefined;
  /** What a failed call is answered with; undefined for the text of the error alone. */
  failure(error: ErrorData): Record<string, unknown> | undefined;
  /** The text of a failed call: `detail`, or what the tool's contract makes of it. */
  failureText(error: ErrorData, detail: string): string;
}

export function defineTool<Input extends Fields, Output extends Fields>(
  definition: ToolDefinition<Input, Output>,
): ThreadTool {
  return Object.assign(erase(definition), { host: 'thread' as const });
}

export function defineDirectoryTool<Input extends Fields, Output extends Fields>(
  definition: ToolDefinition<Input, Output, ThreadDirectory>,
): DirectoryTool {
  return Object.assign(erase(definition), { host: 'directory' as const });
}

/** Schemas are made when they are first asked for: most calls need those of one tool alone. */
function erase<Input extends Fields, Output extends Fields, Host>(
  definition: ToolDefinition<Input, Output, Host>,
): ListableTool & { call(raw: Record<string, unknown>, host: Host): Promise<ToolValue> } {
  const { name, title, description, effect, example } = definition;
  const input = lazy(() => z.object(definition.input()));
  const tellsContent = definition.tellsContent ?? effect === 'read';
  const output = lazy(() => z.object(withNote(definition.output(), tellsContent)));
  const readSchema = lazy(() => toJsonSchema(input(), 'input'));
  const inputSchema = lazy(() => mapSchema(readSchema(), withoutOwnKeys));
  const outputSchema = lazy(() => toJsonSchema(output(), 'output'));
  return {
    name,
    title,
    description,
    effect,
    effectOf: (raw) => definition.effectOf?.(readArguments(readSchema(), raw).args) ?? effect,
    tellsContent,
    read: (raw) => readArguments(readSchema(), raw),
    answersWhenStopped: definition.answersWhenStopped ?? false,
    restores: definition.restores ?? false,
    get inputSchema() {
      return inputSchema();
    },
    get outputSchema() {
      return outputSchema();
    },
    example,
    get hasOwner() {
      return Object.hasOwn(input().shape, OWNER_FIELD);
    },
    canRefuse: definition.isFailure !== undefined,
    failure: (error) => definition.failure?.(error),
    failureText: (error, detail) => definition.failureText?.(error, detail) ?? detail,
    text: (value) => definition.text?.(value as Parsed<Output>),
    async call(raw, host) {
      const { args, renamed } = readArguments(readSchema(), raw);
      const parsed = parseInput(input(), { args, renamed, schema: readSchema() });
      const ignored = findUnknownFields(readSchema(), args);
      const value = output().parse(await runNaming(ignored, () => definition.run(parsed, host)));
      return {
        value,
        ignored,
        renamed,
        isFailure: definition.isFailure?.(value) ?? false,
      };
    },
  };
}

/** What a call was refused for may be in an argument that was not used, so that the refusal names those. */
async function runNaming<Value>(
  ignored: readonly string[],
  run: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof MemoryError) || ignored.length === 0) throw error;
    const { code, message, faults } = error;
    const { hint } = addHint(error.toData(), `Unknown arguments: ${namePaths(ignored)}.`);
    throw new MemoryError(code, message, { hint, faults, cause: error });
  }
}

/** The field is named in the schema even where the tool has no notes of its own: clients drop others. */
function withNote<Output extends Fields>(fields: Output, tellsContent: boolean): Output {
  if (!tellsContent || Object.hasOwn(fields, 'note')) return fields;
  return { ...fields, note: z.string().optional().describe('Says that the thread is empty.') };
}

/** The argument by which seed 002 keeps the memories of several owners apart. */
export const OWNER_FIELD = 'owner_id';

/** The owner who is the thread itself. */
export const DEFAULT_OWNER = 'default';

export interface Toolset {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The workflow, for a model: when to use which tool. Sent only when the toolset is on. */
  readonly instructions: string;
  readonly isDefault: boolean;
  readonly tools: readonly Tool[];
  /** Also listed, and first, where the URL names no thread. */
  readonly unboundTools?: readonly Tool[];
}

export function defineToolset(toolset: Toolset): Toolset {
  return toolset;
}

/**
 * A field that is listed with its whole schema but accepted in any shape: the domain checks it
 * itself, so that all faults of a request come back together.
 */
export function checkedLater(schema: z.ZodType): z.ZodUnknown {
  return z.unknown().meta(toJsonSchema(schema, 'input'));
}

/** A key of a field's schema that takes its place in a list: what is accepted beyond it is not advertised. */
export const LISTED_AS = 'listedAs';

/** The schema as a client sees it. */
function withoutOwnKeys({
  [KEEPS_EMPTY]: _,
  [LISTED_AS]: listed,
  ...schema
}: JsonSchema): JsonSchema {
  return listed === undefined ? schema : (listed as JsonSchema);
}

/** Open objects: a client must not break when an answer gains a field. */
function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // The greatest whole number is no limit that a caller meets.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return json;
}
