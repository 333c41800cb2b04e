/** The surface that Skein serves: the selected tools of the catalog, on one thread or on any. */
import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type Tool as McpTool,
} from '@modelcontextprotocol/server';
import { assert, MemoryError } from '#errors.ts';
import type { Limits } from '#limits.ts';
import type { ToolClient, ToolReply } from '#thread/tool-client.ts';
import { findTool, requireTool } from '#tools/catalog.ts';
import type { Selection } from '#tools/selection.ts';
import type { Tool } from '#tools/define.ts';
import { listTool, type ListingOptions, type SchemaForm } from '#tools/listing.ts';
import { complete } from './completions.ts';
import { writeInstructions, type Situation } from './instructions.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { listResources, listResourceTemplates, readResource } from './resources.ts';
import { toToolResult } from './result.ts';
import type { McpSurface } from './surface.ts';

export interface SurfaceOptions extends Situation {
  readonly selection: Selection;
  /** The URL of the connection, its parameters included. */
  readonly address: URL;
  readonly limits: Limits;
  /** How `tools/list` publishes limits. */
  readonly schemaForm?: SchemaForm | undefined;
  /** Calls tools as the credential may. */
  readonly client: ToolClient;
}

export function threadSurface(options: SurfaceOptions): McpSurface {
  const { selection, limits, schemaForm: form, threadId: bound } = options;
  return {
    instructions: writeInstructions(selection, options),
    // A message that calls one tool needs no list: each is made when a client asks for it.
    get tools() {
      return listTools(selection.tools, { limits, form, isBound: bound !== undefined });
    },
    get resources() {
      return listResources(bound);
    },
    get resourceTemplates() {
      return listResourceTemplates(bound);
    },
    get prompts() {
      return listPrompts(bound);
    },
    callTool: (name, args) => answerCall(options, name, args),
    readResource: (uri) =>
      readResource(uri, bound, async (threadId, name, input) => {
        const tool = findTool(name);
        assert(tool !== undefined, 'Resources are read with tools of the catalog.');
        return (await call(options, tool, { ...input, threadId })).outcome;
      }),
    getPrompt: (name, args) => getPrompt(name, args, bound),
    complete: (params) =>
      complete(params, bound, {
        threads: (prefix) => options.client.completeThreads(prefix),
        entities: (threadId, prefix) => options.client.completeEntities(threadId, prefix),
      }),
  };
}

/** Schemas are made once per isolate: they depend on the tool, the limits, the binding and the form alone. */
const LISTED = new WeakMap<Tool, Map<string, McpTool>>();

function listTools(tools: readonly Tool[], options: ListingOptions): McpTool[] {
  const key = JSON.stringify(options);
  return tools.map((tool) => {
    const versions = LISTED.get(tool) ?? new Map<string, McpTool>();
    LISTED.set(tool, versions);
    const listed = versions.get(key) ?? listTool(tool, options);
    versions.set(key, listed);
    return listed;
  });
}

async function answerCall(
  options: SurfaceOptions,
  name: string,
  args: Record<string, unknown>,
): Promise<CallToolResult> {
  const tool = selectTool(name, options);
  const { threadId, outcome } = await call(options, tool, args);
  return toToolResult(tool, outcome, threadId);
}

function call(
  { threadId: boundThreadId, client }: SurfaceOptions,
  tool: Tool,
  args: Record<string, unknown>,
): Promise<ToolReply> {
  return client.call({ tool, args, boundThreadId });
}

/** A tool that a connection does not have is an error of the protocol, not of a tool. */
function selectTool(name: string, { selection, address }: SurfaceOptions): Tool {
  try {
    return requireTool(name, selection, address);
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    const { message, hint } = error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${message} ${hint}`, {
      cause: error,
    });
  }
}
