/**
 * What one connection may see and do, as data and functions. `server.ts` speaks the protocol for a
 * surface and knows nothing of threads; `thread-surface.ts` makes the one that Skein serves.
 */
import type {
  CallToolResult,
  CompleteRequestParams,
  CompleteResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerContext,
  Tool,
} from '@modelcontextprotocol/server';

export interface McpSurface {
  /** Sent once to the model: when to store, when to search, how to handle conflicts. */
  readonly instructions: string;
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplateType[];
  readonly prompts: readonly Prompt[];
  /** Throws a `ProtocolError` for a tool that is not in `tools`; every other failure is a result. */
  callTool(
    name: string,
    args: Record<string, unknown>,
    context: ServerContext,
  ): Promise<CallToolResult>;
  /** Throws `ResourceNotFoundError` for a URI that names nothing. */
  readResource(uri: string): Promise<ReadResourceResult>;
  /** Throws a `ProtocolError` for a prompt that is not in `prompts` or lacks an argument. */
  getPrompt(name: string, args: Record<string, string>): GetPromptResult;
  /** Throws a `ProtocolError` for a prompt or a resource that is not in the lists. */
  complete(params: CompleteRequestParams): Promise<CompleteResult>;
}
