import type { Tool, Toolset } from './define.ts';

/** What a connection asked to see. */
export interface Selection {
  readonly toolsets: readonly Toolset[];
  /** Each tool once, in the order of the toolsets. */
  readonly tools: readonly Tool[];
  readonly isReadonly: boolean;
  /** Whether there are arguments with which the caller may call the tool. */
  isPermitted(tool: Tool): boolean;
}
