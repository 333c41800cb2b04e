/** Every tool there is. Membership is by listing; everything else about tools is derived from here. */
import { MemoryError, quote } from '#errors.ts';
import { closestNames } from '#graph/names.ts';
import { core } from './core/toolset.ts';
import { graph } from './graph/toolset.ts';
import { memories } from './memories/toolset.ts';
import { nodes } from './nodes/toolset.ts';
import { sessions } from './sessions/toolset.ts';
import { threads } from './threads/toolset.ts';
import type { Tool, Toolset } from './define.ts';

export const TOOLSETS: readonly Toolset[] = [core, graph, memories, nodes, sessions, threads];

/** Former names of tools, kept for at least one major version: `old_name: 'new_name'`. */
const ALIASES: Readonly<Record<string, string>> = {};

const TOOLS = new Map(TOOLSETS.flatMap(({ tools }) => tools).map((tool) => [tool.name, tool]));

/** The tool of that name, or of that former name. */
export function findTool(name: string): Tool | undefined {
  return TOOLS.get(Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name);
}

/** What a connection asked to see. */
export interface Selection {
  readonly toolsets: readonly Toolset[];
  /** Each tool once, in the order of the toolsets. */
  readonly tools: readonly Tool[];
  readonly isReadonly: boolean;
}

/**
 * `wanted` is the value of `?toolsets=`: names with commas, `all`, or null for the default ones.
 * Tools that the caller may not call are not in the selection. Throws `invalid_input` for an unknown name.
 */
export function selectTools(
  wanted: string | null,
  isReadonly: boolean,
  isPermitted: (tool: Tool) => boolean = () => true,
): Selection {
  const toolsets = selectToolsets(wanted);
  const tools = [...new Set(toolsets.flatMap((toolset) => toolset.tools))].filter(isPermitted);
  return {
    toolsets,
    tools: isReadonly ? tools.filter(({ effect }) => effect === 'read') : tools,
    isReadonly,
  };
}

/**
 * The selected tool of that name. Throws `forbidden` for one that a read-only connection is kept
 * from, and `not_found` with the closest names for any other.
 */
export function requireTool(name: string, { toolsets, tools, isReadonly }: Selection): Tool {
  const found = tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  const isHidden = toolsets.some((toolset) => toolset.tools.some((tool) => tool.name === name));
  const close = closestNames(
    name,
    tools.map((tool) => tool.name),
  );
  const advice =
    close.length > 0
      ? `Did you mean ${close.join(' or ')}?`
      : `Enabled toolsets: ${toolsets.map((toolset) => toolset.name).join(', ')}.`;
  throw new MemoryError(
    isHidden ? 'forbidden' : 'not_found',
    `Unknown tool '${name.slice(0, 80)}'.`,
    { hint: isReadonly ? `${advice} This connection can only read.` : advice },
  );
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
