/** The surface that Skein serves: the selected tools of the catalog, on one thread or on any. */
import {
  CLIENT_INFO_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ServerContext,
  type Tool as McpTool,
} from '@modelcontextprotocol/server';
import { MemoryError } from '#errors.ts';
import { closestNames } from '#graph/names.ts';
import type { Limits } from '#limits.ts';
import { parseThreadId, type Caller, type ThreadClient } from '#thread/thread-client.ts';
import type { Selection } from '#tools/catalog.ts';
import type { Tool } from '#tools/define.ts';
import { listTool } from '#tools/listing.ts';
import { writeInstructions, type Situation } from './instructions.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { listResources, listResourceTemplates, readResource } from './resources.ts';
import { toFailure, toToolResult } from './result.ts';
import type { McpSurface } from './surface.ts';

export interface SurfaceOptions extends Situation {
  readonly selection: Selection;
  readonly limits: Limits;
  /** The authenticated principal; stands in the history. */
  readonly subject: string;
  openThread(threadId: string): ThreadClient;
}

export function threadSurface(options: SurfaceOptions): McpSurface {
  const { selection, limits, threadId: bound } = options;
  return {
    instructions: writeInstructions(selection, options),
    tools: listTools(selection.tools, limits, bound !== undefined),
    resources: listResources(bound),
    resourceTemplates: listResourceTemplates(bound),
    prompts: listPrompts(bound),
    callTool: (name, args, context) => callTool(options, name, args, context),
    readResource: (uri) =>
      readResource(uri, bound, async (threadId, tool, input) => {
        try {
          const caller = { threadId: parseThreadId(threadId), actor: options.subject };
          return await options.openThread(caller.threadId)(tool, input, caller);
        } catch (error) {
          if (error instanceof MemoryError) return { ok: false, error: error.toData() };
          throw error;
        }
      }),
    getPrompt: (name, args) => getPrompt(name, args, bound),
  };
}

/** Schemas are made once per isolate: they depend on the tool, the limits and the binding alone. */
const LISTED = new WeakMap<Tool, Map<string, McpTool>>();

function listTools(tools: readonly Tool[], limits: Limits, isBound: boolean): McpTool[] {
  const key = JSON.stringify([limits, isBound]);
  return tools.map((tool) => {
    const versions = LISTED.get(tool) ?? new Map<string, McpTool>();
    LISTED.set(tool, versions);
    const listed = versions.get(key) ?? listTool(tool, { limits, isBound });
    versions.set(key, listed);
    return listed;
  });
}

async function callTool(
  options: SurfaceOptions,
  name: string,
  args: Record<string, unknown>,
  context: ServerContext,
): Promise<CallToolResult> {
  const { selection, threadId: bound, subject } = options;
  const tool = selection.tools.find((known) => known.name === name);
  if (tool === undefined) throw unknownTool(name, options);
  const { threadId: given, ...input } = args;
  let threadId: string | undefined;
  try {
    threadId = tool.host === 'directory' ? undefined : resolveThread(given, bound);
  } catch (error) {
    if (error instanceof MemoryError) return toFailure(tool, error.toData());
    throw error;
  }
  const caller: Caller = { threadId: threadId ?? '', actor: nameActor(subject, context) };
  const outcome = await options.openThread(caller.threadId)(tool.name, input, caller);
  return toToolResult(tool, outcome, threadId);
}

/** The URL's thread wins, and an argument that names another one is never written elsewhere. */
function resolveThread(given: unknown, bound: string | undefined): string {
  if (bound === undefined) return parseThreadId(given);
  if (given === undefined || (typeof given === 'string' && given.normalize('NFC') === bound)) {
    return bound;
  }
  throw new MemoryError(
    'invalid_input',
    `This connection works on the thread '${bound}', but threadId names another one.`,
    { hint: `Leave threadId out, or connect to the endpoint of that thread. Nothing was changed.` },
  );
}

/** Clients of 2026-07-28 name themselves in every request; older ones only when they connect. */
function nameActor(subject: string, context: ServerContext): string {
  const info = context.mcpReq._meta?.[CLIENT_INFO_META_KEY];
  const name = typeof info === 'object' && info !== null && 'name' in info ? info.name : undefined;
  return typeof name === 'string' ? `${subject} (${name.slice(0, 60)})` : subject;
}

function unknownTool(name: string, { selection, isReadonly }: SurfaceOptions): ProtocolError {
  const close = closestNames(
    name,
    selection.tools.map((tool) => tool.name),
  );
  const advice =
    close.length > 0
      ? `Did you mean ${close.join(' or ')}?`
      : `Enabled toolsets: ${selection.toolsets.map((toolset) => toolset.name).join(', ')}.`;
  const mode = isReadonly ? ' This connection can only read.' : '';
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool '${name.slice(0, 80)}'. ${advice}${mode}`,
  );
}
