/** `docs/tools.md`: the whole catalog, with the defaults of the limits put in. */
import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_LIMITS } from '#limits.ts';
import { findTool, TOOLSETS } from '#tools/catalog.ts';
import type { Effect, ExampleStep, Tool, Toolset } from '#tools/define.ts';
import { hintsOf, listTool, type ListedTool } from '#tools/listing.ts';
import { describeLimits, describeType, listNodes, type SchemaNode } from './json-schema.ts';
import { formatJson } from './json-text.ts';
import { code, codeBlock, linkTo, page, table } from './markdown.ts';

const EFFECTS: Readonly<Record<Effect, string>> = {
  read: 'Changes nothing.',
  add: 'Adds, and leaves what is there.',
  change: 'Replaces something; its former state stays in the history.',
  remove: 'Deletes something, or may.',
  control: 'Stops or starts the whole thread; nothing that is stored changes.',
};

const INTRODUCTION = [
  'Each tool also takes a `threadId`, unless the URL names the thread.',
  'Limits are the defaults of a deployment.',
  'A price is what listing costs a client: characters of JSON divided by four, as tokens, with and',
  'without `threadId`.',
].join(' ');

export function renderToolsPage(): string {
  return page([
    '# Tools',
    '> Generated from `src/tools` by `npm run docs`. Edit the tools, not this page.',
    INTRODUCTION,
    renderEffects(),
    ...TOOLSETS.map(renderContents),
    ...TOOLSETS.flatMap(renderToolset),
  ]);
}

/** What a client pays for seeing these tools, in tokens. */
export function priceOf(tools: readonly Tool[], isBound: boolean): number {
  return Math.ceil(JSON.stringify({ tools: tools.map((tool) => list(tool, isBound)) }).length / 4);
}

function list(tool: Tool, isBound: boolean, hasAllLimits = false): ListedTool {
  return listTool(tool, { limits: DEFAULT_LIMITS, isBound, hasAllLimits });
}

function renderEffects(): string {
  const effects = Object.keys(EFFECTS) as Effect[];
  return table(
    ['Effect', 'What it means', ...Object.keys(hintsOf('read')).map(code)],
    effects.map((effect) => [
      code(effect),
      EFFECTS[effect],
      ...Object.values(hintsOf(effect)).map(String),
    ]),
  );
}

function renderContents(toolset: Toolset): string {
  const tools = toolset.tools.map(
    ({ name, title, effect }) => `- ${linkTo(name, code(name))} ${code(effect)} ${title}`,
  );
  return [`**${linkTo(toolset.title)}**`, '', ...tools].join('\n');
}

function renderToolset(toolset: Toolset): string[] {
  const { name, title, description, instructions, isDefault, tools, unboundTools } = toolset;
  const choice = isDefault ? 'On by default' : 'Off by default';
  return [
    `## ${title}`,
    description,
    `${choice}; ${code(`?toolsets=${name}`)} picks it. ${renderPrice(tools, unboundTools)}`,
    'What a model is told when it is on:',
    instructions.replaceAll(/^/gm, '> ').replaceAll('\n', '\n>\n'),
    ...renderShared(toolset),
    ...tools.filter((tool) => homeOf(tool) === toolset).flatMap(renderTool),
  ];
}

/** A tool of several toolsets is described where it is listed first. */
function homeOf(tool: Tool): Toolset | undefined {
  return TOOLSETS.find(({ tools }) => tools.includes(tool));
}

function renderShared(toolset: Toolset): string[] {
  const link = (tools: readonly Tool[]) =>
    tools.map(({ name }) => linkTo(name, code(name))).join(', ');
  const shared = toolset.tools.filter((tool) => homeOf(tool) !== toolset);
  const { unboundTools = [] } = toolset;
  return [
    ...(shared.length > 0 ? [`Described above: ${link(shared)}.`] : []),
    ...(unboundTools.length > 0
      ? [`Where the URL names no thread it has ${link(unboundTools)}, too.`]
      : []),
  ];
}

function renderPrice(tools: readonly Tool[], unbound: readonly Tool[] = []): string {
  return `Listing: ${priceOf([...unbound, ...tools], false)} tokens, ${priceOf(tools, true)} when the URL names the thread.`;
}

function renderTool(tool: Tool): string[] {
  const { description, inputSchema } = list(tool, true, true);
  const hints = Object.entries(hintsOf(tool.effect)).map(
    ([hint, value]) => `${code(hint)} ${value}`,
  );
  const { given = [], input, output } = tool.example;
  return [
    `### ${tool.name}`,
    `**${tool.title}** ${code(tool.effect)}`,
    description,
    `Hints: ${hints.join(', ')}. ${renderPrice([tool])}`,
    ...renderInput(fieldsOf(inputSchema)),
    '**Output**',
    table(['Field', 'Type', 'Description'], fieldsOf(tool.outputSchema).map(renderOutputField)),
    `**Example**, ${describeGiven(given)}`,
    codeBlock('json', formatJson(input)),
    'answers',
    codeBlock('json', formatJson(output)),
  ];
}

function fieldsOf(schema: Record<string, unknown>): SchemaNode[] {
  return listNodes(schema).filter(({ isField }) => isField);
}

function renderInput(fields: readonly SchemaNode[]): string[] {
  if (fields.length === 0) return ['It takes no input.'];
  const head = ['Field', 'Type', 'Required', 'Limits', 'Description'];
  return ['**Input**', table(head, fields.map(renderInputField))];
}

function renderInputField({ path, schema, isRequired }: SchemaNode): string[] {
  const fallback = schema['default'];
  const byDefault = fallback === undefined ? 'no' : `no, default ${code(JSON.stringify(fallback))}`;
  return [
    code(path),
    code(describeType(schema)),
    isRequired ? 'yes' : byDefault,
    describeLimits(schema),
    describe(schema),
  ];
}

function renderOutputField({ path, schema, isRequired }: SchemaNode): string[] {
  return [
    code(path),
    `${code(describeType(schema))}${isRequired ? '' : ', optional'}`,
    describe(schema),
  ];
}

function describe({ description }: Record<string, unknown>): string {
  return typeof description === 'string' ? description : '';
}

function describeGiven(given: readonly ExampleStep[]): string {
  if (given.length === 0) return 'on an empty thread:';
  return `after ${given.map(describeStep).join(', ')}:`;
}

function describeStep({ tool, input }: ExampleStep): string {
  const isItsExample = isDeepStrictEqual(input, findTool(tool)?.example.input);
  return isItsExample ? `the example of ${linkTo(tool, code(tool))}` : code(tool);
}
