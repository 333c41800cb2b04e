/** What a caller is told that asks for a tool which its connection does not have. */
import { MemoryError, quote } from '#errors.ts';
import { closestNames } from '#graph/names.ts';
import type { Selection } from './selection.ts';
import type { Tool, Toolset } from './define.ts';

/** Words that people use for deleting. */
const DELETING = new Set(['delete', 'remove', 'erase', 'forget', 'drop', 'clear', 'purge']);

/**
 * `forbidden` for a tool that the connection is kept from, `not_found` for any other. `all` are the
 * toolsets of the catalog; `address` is the connection's URL, which a client changes to get more.
 */
export function unknownTool(
  name: string,
  selection: Selection,
  all: readonly Toolset[],
  address: URL | undefined,
): MemoryError {
  const { toolsets, isReadonly } = selection;
  const hint = (advice: string) =>
    isReadonly ? `${advice} This connection can only read.` : advice;
  if (toolsets.some((toolset) => has(toolset, name))) {
    return new MemoryError('forbidden', `Unknown tool ${quote(name)}.`, {
      hint: hint('This connection may not call it.'),
    });
  }
  const home = all.find((toolset) => has(toolset, name));
  if (home === undefined) {
    return new MemoryError('not_found', `Unknown tool '${name.slice(0, 80)}'.`, {
      hint: hint(suggest(name, selection, all)),
    });
  }
  return new MemoryError(
    'not_found',
    `The tool ${quote(name)} is in the toolset '${home.name}', which this connection has not switched on.`,
    { hint: hint(describeSwitch(name, home, selection, address)) },
  );
}

function has({ tools }: Toolset, name: string): boolean {
  return tools.some((tool) => tool.name === name);
}

function describeSwitch(
  name: string,
  home: Toolset,
  { toolsets, isPermitted }: Selection,
  address: URL | undefined,
): string {
  const names = [...toolsets, home].map((toolset) => toolset.name).join(',');
  const where =
    address === undefined
      ? `Add ?toolsets=${names} to the address of the server`
      : `Connect to ${withToolsets(address, names)}`;
  const tool = home.tools.find((one) => one.name === name);
  return tool === undefined || isPermitted(tool)
    ? `${where} to have it.`
    : `${where}, with a credential that may do more: this one may not call it.`;
}

/** The same address with these toolsets; the commas stay readable. */
function withToolsets(address: URL, names: string): string {
  const url = new URL(address);
  url.searchParams.delete('toolsets');
  const others = url.searchParams.toString();
  return `${url.origin}${url.pathname}?toolsets=${names}${others === '' ? '' : `&${others}`}`;
}

/** The tools that may be meant, with their toolset where it is not switched on. */
function suggest(name: string, { toolsets }: Selection, all: readonly Toolset[]): string {
  const close = closestTools(
    name,
    all.flatMap(({ tools }) => tools),
  );
  if (close.length === 0) {
    return `Enabled toolsets: ${toolsets.map((toolset) => toolset.name).join(', ')}.`;
  }
  const labels = close.map((tool) => {
    if (toolsets.some((toolset) => has(toolset, tool))) return tool;
    const home = all.find((toolset) => has(toolset, tool));
    return home === undefined ? tool : `${tool} (toolset '${home.name}')`;
  });
  return `Did you mean ${labels.join(' or ')}?`;
}

/** A tool that takes something away is suggested only for a name that asks for the same. */
function closestTools(name: string, tools: readonly Tool[]): string[] {
  const verb = verbOf(name);
  const harmless = tools.filter(
    (tool) => (tool.effect !== 'remove' && tool.effect !== 'control') || verbOf(tool.name) === verb,
  );
  const close = closestNames(
    name,
    harmless.map((tool) => tool.name),
  );
  if (close.some((one) => verbOf(one) === verb)) return close;
  // The verb says more than the noun: import_memory means import_database, and no store_memory.
  const kin = harmless.filter((tool) => verbOf(tool.name) === verb).map((tool) => tool.name);
  return kin.length > 0 && kin.length <= KIN_MAX ? kin : close;
}

/** More tools of one verb than this do not tell which is meant. */
const KIN_MAX = 3;

/** The first word of `delete_entities`, `deleteEntities` or `delete-entities`. */
function verbOf(name: string): string {
  const [first = ''] = name.slice(0, 80).split(/[^A-Za-z]|(?=[A-Z])/, 1);
  const verb = first.toLowerCase();
  return DELETING.has(verb) ? 'delete' : verb;
}
