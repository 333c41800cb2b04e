import type { Tool, Toolset } from './define.ts';

/** What a connection asked to see. */
export interface Selection {
  readonly toolsets: readonly Toolset[];
  /** Each tool once, in the order of the toolsets. */
  readonly tools: readonly Tool[];
  /** The tools of the connection, also those that the caller may never call. */
  readonly offered: readonly Tool[];
  readonly isReadonly: boolean;
  /** Whether there are arguments with which the caller may call the tool. */
  isPermitted(tool: Tool): boolean;
}
