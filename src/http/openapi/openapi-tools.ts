/** What OpenAPI says of the tools: everything in it follows from the catalog. */
import type { Limits } from '#limits.ts';
import { TOOLSETS } from '#tools/catalog.ts';
import type { ExampleStep, Tool, Toolset } from '#tools/define.ts';
import type { JsonSchema } from '#tools/json-schema.ts';
import { listTool } from '#tools/listing.ts';
import { IGNORED_HEADER, RENAMED_HEADER } from '#http/headers.ts';
import { ownFailureComponents, toolFailures, type FailureComponents } from './openapi-errors.ts';
import { REFUSED_STATUS, TOOL_ROUTE } from '#http/threads/tool-address.ts';

/** Each tool once, whatever toolsets have it. */
const TOOLS = [...new Set(TOOLSETS.flatMap(({ tools }) => tools))];

export const TOOL_TAGS = TOOLSETS.map(({ name, description }) => ({ name, description }));

/** A path for each tool; `operationId` is its name, its toolsets are the tags. */
export function describeToolPaths(limits: Limits): Record<string, JsonSchema> {
  return Object.fromEntries(
    TOOLS.map((tool) => [pathOf(tool), { post: describeOperation(tool, limits) }]),
  );
}

/** The inputs and outputs of all tools, as `SaveMemoryInput` and `SaveMemoryOutput`. */
export function describeToolSchemas(limits: Limits): Record<string, JsonSchema> {
  return Object.fromEntries(
    TOOLS.flatMap((tool) => [
      [inputName(tool), listTool(tool, { limits, isBound: true, hasAllLimits: true }).inputSchema],
      [outputName(tool), tool.outputSchema],
    ]),
  );
}

/** What tools fail with whose contract has a shape for it: one for each toolset that has one. */
export function describeToolFailures(): FailureComponents {
  const all = TOOLS.map((tool) => ownFailureComponents(tool, failurePrefix(tool)));
  return {
    schemas: Object.assign({}, ...all.map(({ schemas }) => schemas)),
    responses: Object.assign({}, ...all.map(({ responses }) => responses)),
  };
}

function describeOperation(tool: Tool, limits: Limits): JsonSchema {
  const { given = [], input, output } = tool.example;
  const output200 = toContent(outputName(tool), output, describeGiven(given));
  return {
    operationId: tool.name,
    summary: tool.title,
    description: listTool(tool, { limits, isBound: true }).description,
    tags: toolsetsOf(tool).map(({ name }) => name),
    parameters: [
      { $ref: '#/components/parameters/threadId' },
      { $ref: '#/components/parameters/readonly' },
    ],
    requestBody: {
      required: isNeeded(tool),
      content: toContent(inputName(tool), input, describeGiven(given)),
    },
    responses: {
      200: {
        description: 'What the tool answers.',
        headers: HEADERS,
        content: output200,
      },
      ...toolFailures(tool, failurePrefix(tool)),
      ...(tool.canRefuse && { [REFUSED_STATUS]: describeRefusal(tool) }),
    },
  };
}

const IGNORED = {
  description:
    'Paths of arguments that the tool does not know, with commas, percent-encoded where they are not ASCII.',
  schema: { type: 'string' },
};

const HEADERS = {
  [IGNORED_HEADER]: IGNORED,
  [RENAMED_HEADER]: {
    description: 'Arguments that came under another name, as in `type as entityType`, with commas.',
    schema: { type: 'string' },
  },
};

function describeRefusal(tool: Tool): JsonSchema {
  return {
    description:
      'The tool refused what it was given, and its answer says why. Nothing was changed.',
    headers: HEADERS,
    content: { 'application/json': { schema: refer(outputName(tool)) } },
  };
}

function toContent(
  schemaName: string,
  value: unknown,
  description: string | undefined,
): JsonSchema {
  const example = { ...(description !== undefined && { description }), value };
  return { 'application/json': { schema: refer(schemaName), examples: { example } } };
}

/** Examples begin with an empty thread. */
function describeGiven(given: readonly ExampleStep[]): string | undefined {
  if (given.length === 0) return undefined;
  const calls = given.map(({ tool, input }) => `\`${tool}\` ${JSON.stringify(input)}`);
  return `After ${calls.join(', then ')}.`;
}

function isNeeded(tool: Tool): boolean {
  const required = tool.inputSchema['required'];
  return Array.isArray(required) && required.length > 0;
}

function pathOf(tool: Tool): string {
  return TOOL_ROUTE.replace(':threadId', '{threadId}').replace(':tool', tool.name);
}

function toolsetsOf(tool: Tool): Toolset[] {
  return TOOLSETS.filter(({ tools }) => tools.includes(tool));
}

/** The tools of a toolset have one shape for their failures. */
function failurePrefix(tool: Tool): string {
  return toPascal(toolsetsOf(tool)[0]?.name ?? '');
}

function inputName(tool: Tool): string {
  return `${toPascal(tool.name)}Input`;
}

function outputName(tool: Tool): string {
  return `${toPascal(tool.name)}Output`;
}

function toPascal(name: string): string {
  return name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function refer(schemaName: string): { $ref: string } {
  return { $ref: `#/components/schemas/${schemaName}` };
}
