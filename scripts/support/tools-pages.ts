/** `docs/use/tools/`: an index of all tools and a page for each toolset, with the defaults of the limits put in. */
import { isDeepStrictEqual } from 'node:util';
import { httpStatus, type ErrorCode, type ErrorData } from '#errors.ts';
import { DEFAULT_LIMITS } from '#limits.ts';
import { findTool, TOOLSETS } from '#tools/catalog.ts';
import type { Effect, ExampleStep, Tool, Toolset } from '#tools/define.ts';
import { hintsOf, listTool, type ListedTool } from '#tools/listing.ts';
import { describeLimits, describeType, listNodes, type SchemaNode } from './json-schema.ts';
import { formatJson } from './json-text.ts';
import { anchorOf, code, codeBlock, page, table } from './markdown.ts';

/** The folder of the pages, from the root of the project. */
export const TOOLS_FOLDER = 'docs/use/tools';

const NOTICE = '> Generated from `src/tools` by `npm run docs`. Edit the tools, not this page.';

const EFFECTS: Readonly<Record<Effect, string>> = {
  read: 'Changes nothing.',
  add: 'Adds data and keeps existing data.',
  change: 'Replaces data; the history keeps the former state.',
  remove: 'Deletes data, or may delete it.',
  control: 'Stops or starts the whole thread; stored data does not change.',
};

const CODES: Readonly<Record<ErrorCode, string>> = {
  invalid_input: 'An argument is wrong. The error lists every fault.',
  forbidden: 'The credential, the scope or read-only mode does not permit the call.',
  not_found: 'The entity, fact, file or tool does not exist. The hint lists the closest names.',
  already_exists: 'The name is taken.',
  conflict: 'The data has changed since the caller read it, or a newer version exists.',
  limit_exceeded: 'The request or the thread is above a limit.',
  unavailable: 'The thread is stopped, or a service does not answer.',
};

/** Shows the shape in which a tool fails. */
const SAMPLE_ERROR: ErrorData = {
  code: 'not_found',
  message: '<what is wrong>',
  hint: '<what to do next>',
};

/** The text of each page by its path from the root of the project. */
export function renderToolsPages(): ReadonlyMap<string, string> {
  return new Map([
    [`${TOOLS_FOLDER}/README.md`, renderIndex()],
    ...TOOLSETS.map(
      (toolset) => [`${TOOLS_FOLDER}/${toolset.name}.md`, renderToolset(toolset)] as const,
    ),
  ]);
}

/** What listing these tools costs a client, in tokens. */
export function priceOf(tools: readonly Tool[], isBound: boolean): number {
  return Math.ceil(JSON.stringify({ tools: tools.map((tool) => list(tool, isBound)) }).length / 4);
}

function list(tool: Tool, isBound: boolean, hasAllLimits = false): ListedTool {
  return listTool(tool, { limits: DEFAULT_LIMITS, isBound, hasAllLimits });
}

function renderIndex(): string {
  return page([
    '# Tools',
    NOTICE,
    [
      'Each toolset has a page with the description, the input, one example and the errors of each tool.',
      'Every tool of a thread also takes a `threadId`, unless the URL names the thread.',
      'The limits are the defaults of a deployment.',
      'A price is the cost of listing a tool to a client: the characters of its JSON divided by four, as tokens.',
      '`tools/list` and `GET /openapi.json` describe every field of every answer.',
    ].join('\n'),
    '## Effects',
    'The scope that a tool needs and its hints follow from its effect ([security](../security.md#scopes)).',
    renderEffects(),
    '## Errors',
    [
      'A failed call changes nothing.',
      'The answer has a `code` for programs, a `message` with the wrong value, and a `hint` with the next step.',
      'Some tools follow a contract with another shape for failures; their pages show it.',
    ].join('\n'),
    table(
      ['Code', 'HTTP status', 'Meaning'],
      (Object.keys(CODES) as ErrorCode[]).map((name) => [
        code(name),
        String(httpStatus(name)),
        CODES[name],
      ]),
    ),
    ...TOOLSETS.flatMap(renderContents),
  ]);
}

function renderEffects(): string {
  const effects = Object.keys(EFFECTS) as Effect[];
  return table(
    ['Effect', 'Meaning', ...Object.keys(hintsOf('read')).map(code)],
    effects.map((effect) => [
      code(effect),
      EFFECTS[effect],
      ...Object.values(hintsOf(effect)).map(String),
    ]),
  );
}

function renderContents(toolset: Toolset): string[] {
  const tools = toolset.tools.map((tool) => `- ${linkTo(tool)} ${code(tool.effect)} ${tool.title}`);
  return [
    `## ${toolset.title}`,
    `${toolset.description} [All details](${toolset.name}.md).`,
    tools.join('\n'),
  ];
}

function renderToolset(toolset: Toolset): string {
  const { name, title, description, instructions, isDefault, tools, unboundTools } = toolset;
  const choice = isDefault
    ? `This toolset is on by default. ${code(`?toolsets=${name}`)} selects it alone.`
    : `${code(`?toolsets=${name}`)} selects this toolset.`;
  return page([
    `# ${title}`,
    NOTICE,
    [description, choice, renderPrice(tools, unboundTools)].join('\n'),
    'The model receives these instructions when the toolset is on:',
    instructions.replaceAll(/^/gm, '> ').replaceAll('\n', '\n>\n'),
    ...renderShared(toolset),
    ...tools.filter((tool) => homeOf(tool) === toolset).flatMap(renderTool),
  ]);
}

/** The toolset whose page describes the tool: the first that lists it. */
function homeOf(tool: Tool): Toolset | undefined {
  return TOOLSETS.find(({ tools }) => tools.includes(tool));
}

/** A link from any page of the folder. */
function linkTo(tool: Tool): string {
  return `[${code(tool.name)}](${homeOf(tool)?.name ?? 'README'}.md#${anchorOf(tool.name)})`;
}

function renderShared(toolset: Toolset): string[] {
  const shared = toolset.tools.filter((tool) => homeOf(tool) !== toolset);
  const { unboundTools = [] } = toolset;
  return [
    ...(shared.length > 0
      ? [`It shares these tools with another toolset: ${shared.map(linkTo).join(', ')}.`]
      : []),
    ...(unboundTools.length > 0
      ? [`Where the URL names no thread, it also has ${unboundTools.map(linkTo).join(', ')}.`]
      : []),
  ];
}

function renderPrice(tools: readonly Tool[], unbound: readonly Tool[] = []): string {
  const [free, bound] = [priceOf([...unbound, ...tools], false), priceOf(tools, true)];
  return free === bound
    ? `Listing: ${free} tokens.`
    : `Listing: ${free} tokens, or ${bound} when the URL names the thread.`;
}

function renderTool(tool: Tool): string[] {
  const { description, inputSchema } = list(tool, true, true);
  const { given = [], input, output } = tool.example;
  return [
    `## ${tool.name}`,
    `**${tool.title}** ${code(tool.effect)}`,
    description,
    renderPrice([tool]),
    '**Input**',
    ...renderInput(listNodes(inputSchema).filter(({ isField }) => isField)),
    `**Example**, ${describeGiven(given)}`,
    codeBlock('json', formatJson(input)),
    'The answer:',
    codeBlock('json', formatJson(output)),
    '**Errors**',
    ...renderErrors(tool),
  ];
}

function renderInput(fields: readonly SchemaNode[]): string[] {
  if (fields.length === 0) return ['The tool takes no input.'];
  const head = ['Field', 'Type', 'Required', 'Limits', 'Description'];
  return [table(head, fields.map(renderInputField))];
}

function renderInputField({ path, schema, isRequired }: SchemaNode): string[] {
  const fallback = schema['default'];
  const byDefault = fallback === undefined ? 'no' : `no, default ${code(JSON.stringify(fallback))}`;
  const { description } = schema;
  return [
    code(path),
    code(describeType(schema)),
    isRequired ? 'yes' : byDefault,
    describeLimits(schema),
    typeof description === 'string' ? description : '',
  ];
}

function renderErrors(tool: Tool): string[] {
  const failure = tool.failure(SAMPLE_ERROR);
  const lines = [
    ...(tool.canRefuse
      ? ['A refused request is answered in the shape of the tool, with all its faults.']
      : []),
    ...(tool.host === 'thread' && tool.answersWhenStopped
      ? ['The tool also answers while the thread is stopped.']
      : []),
    failure === undefined
      ? 'Failures have [the common shape](README.md#errors).'
      : 'Failures have this shape:',
  ];
  return [lines.join('\n'), failure === undefined ? '' : codeBlock('json', formatJson(failure))];
}

function describeGiven(given: readonly ExampleStep[]): string {
  if (given.length === 0) return 'on an empty thread:';
  return `after ${given.map(describeStep).join(', ')}:`;
}

function describeStep({ tool: name, input }: ExampleStep): string {
  const tool = findTool(name);
  const isItsExample = isDeepStrictEqual(input, tool?.example.input);
  return tool !== undefined && isItsExample ? `the example of ${linkTo(tool)}` : code(name);
}
