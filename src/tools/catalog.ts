/** Every tool there is. Membership is by listing; everything else about tools is derived from here. */
import { MemoryError, quote } from '#errors.ts';
import { core } from './core/toolset.ts';
import { graph } from './graph/toolset.ts';
import { memories } from './memories/toolset.ts';
import { nodes } from './nodes/toolset.ts';
import { sessions } from './sessions/toolset.ts';
import type { Tool, Toolset } from './define.ts';

export const TOOLSETS: readonly Toolset[] = [core, graph, memories, nodes, sessions];

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
}

/**
 * `wanted` is the value of `?toolsets=`: names with commas, `all`, or null for the default ones.
 * Throws `invalid_input` for an unknown name.
 */
export function selectTools(wanted: string | null, isReadonly: boolean): Selection {
  const toolsets = selectToolsets(wanted);
  const tools = [...new Set(toolsets.flatMap((toolset) => toolset.tools))];
  return { toolsets, tools: isReadonly ? tools.filter(({ effect }) => effect === 'read') : tools };
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
