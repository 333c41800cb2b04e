/** Every tool there is. Membership is by listing; everything else about tools is derived from here. */
import type { Selection } from './selection.ts';
import { MemoryError, quote } from '#errors.ts';
import { core } from './core/toolset.ts';
import { graph } from './graph/toolset.ts';
import { memories } from './memories/toolset.ts';
import { nodes } from './nodes/toolset.ts';
import { sessions } from './sessions/toolset.ts';
import { threads } from './threads/toolset.ts';
import { unknownTool } from './unknown-tool.ts';
import type { Tool, Toolset } from './define.ts';

export const TOOLSETS: readonly Toolset[] = [core, graph, memories, nodes, sessions, threads];

/** Former names of tools, kept for at least one major version: `old_name: 'new_name'`. */
const ALIASES: Readonly<Record<string, string>> = {};

const TOOLS = new Map(TOOLSETS.flatMap(({ tools }) => tools).map((tool) => [tool.name, tool]));

/** The tool of that name, or of that former name. */
export function findTool(name: string): Tool | undefined {
  return TOOLS.get(Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name);
}

export interface SelectOptions {
  readonly isReadonly: boolean;
  /** False where each call names its thread. */
  readonly isBound: boolean;
  /** Tools that the caller may not call are not in the selection; all by default. */
  isPermitted?(tool: Tool): boolean;
}

/**
 * `wanted` is the value of `?toolsets=`: names with commas, `all`, or null for the default ones.
 * Throws `invalid_input` for an unknown name.
 */
export function selectTools(
  wanted: string | null,
  { isReadonly, isBound, isPermitted = () => true }: SelectOptions,
): Selection {
  const toolsets = selectToolsets(wanted);
  const listed = toolsets.flatMap(({ tools, unboundTools = [] }) =>
    isBound ? tools : [...unboundTools, ...tools],
  );
  const offered = [...new Set(listed)].filter(({ effect }) => !isReadonly || effect === 'read');
  return {
    toolsets,
    offered,
    tools: offered.filter((tool) => isPermitted(tool)),
    isReadonly,
    isPermitted,
  };
}

/**
 * The selected tool of that name. Throws `forbidden` for one that the connection is kept from, and
 * `not_found` for any other, with the toolset that has it or with the closest names. `address` is
 * the URL of the connection, where the choice of toolsets is part of it.
 */
export function requireTool(name: string, selection: Selection, address?: URL): Tool {
  const found = selection.tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  throw unknownTool(name, selection, TOOLSETS, address);
}

function selectToolsets(wanted: string | null): readonly Toolset[] {
  const names = (wanted ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) return TOOLSETS.filter(({ isDefault }) => isDefault);
  if (names.includes('all')) return TOOLSETS;
  const unknown = names.filter((name) => !TOOLSETS.some((toolset) => toolset.name === name));
  if (unknown.length > 0) {
    throw new MemoryError('invalid_input', `Unknown toolset ${unknown.map(quote).join(', ')}.`, {
      hint: `Use ?toolsets= with any of: ${TOOLSETS.map(({ name }) => name).join(', ')}, or all.`,
    });
  }
  return TOOLSETS.filter(({ name }) => names.includes(name));
}
