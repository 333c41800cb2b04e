/**
 * The tools, resources and prompts that the official conformance suite asks a server to have. Their
 * names, texts and shapes are the suite's. None of them is served in production.
 */
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  ClientCapabilities,
  ContentBlock,
  ElicitRequestFormParams,
  GetPromptResult,
  InputRequests,
  InputRequiredResult,
  Prompt,
  PromptMessage,
  ReadResourceResult,
  RequestStateCodec,
  Resource,
  ServerContext,
  Tool,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { McpSurface } from '#mcp/surface.ts';

type Arguments = Readonly<Record<string, unknown>>;
type ToolOutcome = CallToolResult | InputRequiredResult;
type PromptOutcome = GetPromptResult | InputRequiredResult;

interface ToolFixture {
  readonly definition: Tool;
  run(args: Arguments, context: ServerContext): ToolOutcome | Promise<ToolOutcome>;
}

interface PromptFixture {
  readonly definition: Prompt;
  render(args: Readonly<Record<string, string>>, context: ServerContext): PromptOutcome;
}

/** One red pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC';
/** Two samples of silence at 8 kHz. */
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA==';
/** Long enough for a client to see two notifications as two. */
const STEP_MS = 50;
/** Public on purpose: it protects the state of test tools only. */
const STATE_KEY = 'conformance fixtures, not a secret of any server';

const nameForm = z.object({ name: z.string() });
const colorForm = z.object({ color: z.string() });
const confirmForm = z.object({ ok: z.boolean() });
const contextForm = z.object({ context: z.string() });
const accountForm = z.object({ username: z.string(), email: z.string() });

/** Keywords that a server must list unchanged (SEP-1613, SEP-2106). */
const JSON_SCHEMA_2020_12: Tool['inputSchema'] = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- It is a keyword of JSON Schema.
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** A default for each primitive type (SEP-1034). */
const DEFAULTS_FORM: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
};

/** The five ways to offer a choice (SEP-1330). */
const ENUMS_FORM: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: {
      type: 'string',
      oneOf: [
        { const: 'value1', title: 'First Option' },
        { const: 'value2', title: 'Second Option' },
        { const: 'value3', title: 'Third Option' },
      ],
    },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: {
      type: 'array',
      items: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    },
    titledMulti: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'value1', title: 'First Choice' },
          { const: 'value2', title: 'Second Choice' },
          { const: 'value3', title: 'Third Choice' },
        ],
      },
    },
  },
};

const tools: readonly ToolFixture[] = [
  tool('test_simple_text', () => text('This is a simple text response for testing.')),
  tool('test_image_content', () => content(image())),
  tool('test_audio_content', () => content({ type: 'audio', data: WAV, mimeType: 'audio/wav' })),
  tool('test_embedded_resource', () =>
    content(
      embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
    ),
  ),
  tool('test_multiple_content_types', () =>
    content(
      { type: 'text', text: 'Multiple content types test:' },
      image(),
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
  ),
  tool('test_error_handling', () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  })),
  tool('test_tool_with_logging', logInSteps),
  tool('test_tool_with_progress', reportProgress),
  tool('json_schema_2020_12_tool', () => text('ok'), JSON_SCHEMA_2020_12),
  tool('test_header_parameter', () => text('ok'), {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  }),
  tool('test_sampling', sampleText, withText('prompt')),
  tool('test_elicitation', askForAccount, withText('message')),
  tool('test_elicitation_sep1034_defaults', (_args, context) => askWith(DEFAULTS_FORM, context)),
  tool('test_elicitation_sep1330_enums', (_args, context) => askWith(ENUMS_FORM, context)),
  tool('test_missing_capability', (_args, context) => askModel('Any word?', context)),
  tool('test_logging_tool', logOnce),
  tool('test_streaming_elicitation', reportThenAskForName),
  tool('test_input_required_result_elicitation', (_args, context) => greetByName(context)),
  tool('test_input_required_result_sampling', (_args, context) =>
    askModel('What is the capital of France?', context),
  ),
  tool('test_input_required_result_list_roots', (_args, context) => listRoots(context)),
  tool('test_input_required_result_request_state', (_args, context) => confirmOnce(context)),
  tool('test_input_required_result_tampered_state', (_args, context) => confirmOnce(context)),
  tool('test_input_required_result_multiple_inputs', (_args, context) => askForAll(context)),
  tool('test_input_required_result_multi_round', (_args, context) => askInTwoRounds(context)),
  tool('test_input_required_result_capabilities', (_args, context) => askForDeclared(context)),
];

const prompts: readonly PromptFixture[] = [
  prompt('test_simple_prompt', [], () =>
    messages({ type: 'text', text: 'This is a simple prompt for testing.' }),
  ),
  prompt('test_prompt_with_arguments', ['arg1', 'arg2'], ({ arg1, arg2 }) =>
    messages({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }),
  ),
  prompt('test_prompt_with_embedded_resource', ['resourceUri'], ({ resourceUri = '' }) =>
    messages(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'), {
      type: 'text',
      text: 'Please process the embedded resource above.',
    }),
  ),
  prompt('test_prompt_with_image', [], () =>
    messages(image(), { type: 'text', text: 'Please analyze the image above.' }),
  ),
  prompt('test_input_required_result_prompt', [], (_args, context) => askForContext(context)),
];

const resources: readonly Resource[] = [
  resource('test://static-text', 'text/plain'),
  resource('test://static-binary', 'image/png'),
  resource('test://watched-resource', 'text/plain'),
];

/** What the worker hands to `createServer`, in the place of a thread's surface. */
export const fixtureSurface: McpSurface = {
  instructions: 'Fixtures of the MCP conformance suite.',
  tools: tools.map(({ definition }) => definition),
  resources,
  resourceTemplates: [
    {
      uriTemplate: 'test://template/{id}/data',
      name: 'template-data',
      description: 'Data for one id.',
      mimeType: 'application/json',
    },
  ],
  prompts: prompts.map(({ definition }) => definition),
  async callTool(name, args, context) {
    const found = tools.find(({ definition }) => definition.name === name);
    if (found === undefined) throw invalidParams(`Unknown tool: ${name}`);
    // A surface of production never asks for input; the server passes either result on unchanged.
    return (await found.run(args, context)) as CallToolResult;
  },
  async readResource(uri) {
    return readFixture(uri);
  },
  getPrompt() {
    throw invalidParams('The worker answers prompts/get with getFixturePrompt.');
  },
  async complete({ argument }) {
    const words = ['paris', 'park', 'party', 'test'];
    const values = words.filter((word) => word.startsWith(argument.value));
    return { completion: { values, hasMore: false } };
  },
};

/** Needs the context, which a surface does not get for prompts: one of these asks for input. */
export function getFixturePrompt(
  name: string,
  args: Readonly<Record<string, string>>,
  context: ServerContext,
): PromptOutcome {
  const found = prompts.find(({ definition }) => definition.name === name);
  if (found === undefined) throw invalidParams(`Unknown prompt: ${name}`);
  for (const { name: argument } of found.definition.arguments ?? []) {
    if (args[argument] === undefined) throw invalidParams(`Missing argument: ${argument}`);
  }
  return found.render(args, context);
}

function readFixture(uri: string): ReadResourceResult {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(data) }] };
  }
  const found = resources.find((candidate) => candidate.uri === uri);
  if (found === undefined) throw new ResourceNotFoundError(uri);
  if (found.mimeType === 'image/png') {
    return { contents: [{ uri, mimeType: 'image/png', blob: PNG }] };
  }
  const words = 'This is the content of the static text resource.';
  return { contents: [{ uri, mimeType: 'text/plain', text: words }] };
}

async function logInSteps(_args: Arguments, { mcpReq }: ServerContext): Promise<CallToolResult> {
  await mcpReq.log('info', 'Tool execution started');
  await pause();
  await mcpReq.log('info', 'Tool processing data');
  await pause();
  await mcpReq.log('info', 'Tool execution completed');
  return text('Logged three messages.');
}

async function logOnce(_args: Arguments, { mcpReq }: ServerContext): Promise<CallToolResult> {
  await mcpReq.log('info', 'Seen only by a request that set a log level');
  return text('Logged one message.');
}

async function reportProgress(_args: Arguments, context: ServerContext): Promise<CallToolResult> {
  await notifyProgress(0, context);
  await pause();
  await notifyProgress(50, context);
  await pause();
  await notifyProgress(100, context);
  return text('Done.');
}

async function notifyProgress(progress: number, { mcpReq }: ServerContext): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  const params = { progressToken, progress, total: 100 };
  await mcpReq.notify({ method: 'notifications/progress', params });
}

async function reportThenAskForName(
  _args: Arguments,
  context: ServerContext,
): Promise<ToolOutcome> {
  await notifyProgress(50, context);
  return greetByName(context);
}

function sampleText({ prompt: words }: Arguments, context: ServerContext): ToolOutcome {
  return askModel(String(words), context);
}

function askForAccount({ message }: Arguments, { mcpReq }: ServerContext): ToolOutcome {
  const answer = inputResponse(mcpReq.inputResponses, 'account');
  if (answer.kind === 'elicit') return text(`User response: ${JSON.stringify(answer)}`);
  return inputRequired({ inputRequests: { account: elicit(String(message), accountForm) } });
}

function askWith(
  requestedSchema: ElicitRequestFormParams['requestedSchema'],
  { mcpReq }: ServerContext,
): ToolOutcome {
  const answer = inputResponse(mcpReq.inputResponses, 'form');
  if (answer.kind !== 'elicit') {
    const form = inputRequired.elicit({ message: 'Please fill in the form', requestedSchema });
    return inputRequired({ inputRequests: { form } });
  }
  const filledIn = JSON.stringify(answer.content ?? {});
  return text(`Elicitation completed: action=${answer.action}, content=${filledIn}`);
}

function askModel(question: string, { mcpReq }: ServerContext): ToolOutcome {
  const answer = inputResponse(mcpReq.inputResponses, 'capital_question');
  if (answer.kind === 'sampling') {
    return text(`LLM response: ${JSON.stringify(answer.result.content)}`);
  }
  return inputRequired({ inputRequests: { capital_question: sample(question) } });
}

function listRoots({ mcpReq }: ServerContext): ToolOutcome {
  const answer = inputResponse(mcpReq.inputResponses, 'client_roots');
  if (answer.kind === 'roots') return text(answer.roots.map(({ uri }) => uri).join('\n'));
  return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
}

function greetByName({ mcpReq }: ServerContext): ToolOutcome {
  const answer = acceptedContent(mcpReq.inputResponses, 'user_name', nameForm);
  if (answer !== undefined) return text(`Hello, ${answer.name}!`);
  return inputRequired({ inputRequests: { user_name: askName('What is your name?') } });
}

async function confirmOnce(context: ServerContext): Promise<ToolOutcome> {
  const state = await verifiedState(context);
  const answer = acceptedContent(context.mcpReq.inputResponses, 'confirm', confirmForm);
  if (state !== undefined && answer !== undefined) return text('state-ok');
  return inputRequired({
    inputRequests: { confirm: elicit('Please confirm', confirmForm) },
    requestState: await stateCodec().mint('asked'),
  });
}

async function askForAll(context: ServerContext): Promise<ToolOutcome> {
  const state = await verifiedState(context);
  const { inputResponses } = context.mcpReq;
  const inputRequests: InputRequests = {
    user_name: askName('What is your name?'),
    greeting: sample('Generate a greeting'),
    client_roots: inputRequired.listRoots(),
  };
  const isAnswered = Object.keys(inputRequests).every(
    (key) => inputResponse(inputResponses, key).kind !== 'missing',
  );
  if (state !== undefined && isAnswered) return text('All three answers arrived.');
  return inputRequired({ inputRequests, requestState: await stateCodec().mint('asked') });
}

async function askInTwoRounds(context: ServerContext): Promise<ToolOutcome> {
  const name = await verifiedState(context);
  const { inputResponses } = context.mcpReq;
  const color = acceptedContent(inputResponses, 'step2', colorForm);
  if (name !== undefined && color !== undefined) return text(`${name} likes ${color.color}.`);
  const answer = acceptedContent(inputResponses, 'step1', nameForm);
  if (name === undefined || answer === undefined) {
    return inputRequired({
      inputRequests: { step1: askName('Step 1: What is your name?') },
      requestState: await stateCodec().mint('nobody yet'),
    });
  }
  return inputRequired({
    inputRequests: { step2: elicit('Step 2: What is your favorite color?', colorForm) },
    requestState: await stateCodec().mint(answer.name),
  });
}

function askForDeclared({ mcpReq }: ServerContext): ToolOutcome {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const declared = (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
  const inputRequests: InputRequests = {
    ...(declared.elicitation && { user_name: askName('What is your name?') }),
    ...(declared.sampling && { greeting: sample('Generate a greeting') }),
    ...(declared.roots && { client_roots: inputRequired.listRoots() }),
  };
  if (Object.keys(inputRequests).length === 0) return text('This client cannot be asked.');
  return inputRequired({ inputRequests });
}

function askForContext({ mcpReq }: ServerContext): PromptOutcome {
  const answer = acceptedContent(mcpReq.inputResponses, 'user_context', contextForm);
  if (answer !== undefined) return messages({ type: 'text', text: `Use ${answer.context}.` });
  const question = elicit('What context should the prompt use?', contextForm);
  return inputRequired({ inputRequests: { user_context: question } });
}

/** `createServer` sets no verifier, because no tool of production keeps state with the client. */
async function verifiedState({ mcpReq }: ServerContext): Promise<string | undefined> {
  const state = mcpReq.requestState<string>();
  if (state === undefined) return undefined;
  try {
    return (await stateCodec().verify(state, {} as ServerContext)) as string;
  } catch {
    throw invalidParams('Invalid or expired requestState');
  }
}

/** Made per call, because a Worker must not share pending promises between requests. */
function stateCodec(): RequestStateCodec {
  return createRequestStateCodec({ key: STATE_KEY });
}

function tool(
  name: string,
  run: ToolFixture['run'],
  inputSchema: Tool['inputSchema'] = { type: 'object', properties: {} },
): ToolFixture {
  return { definition: { name, description: `Conformance fixture ${name}.`, inputSchema }, run };
}

function prompt(
  name: string,
  required: readonly string[],
  render: PromptFixture['render'],
): PromptFixture {
  const definition = {
    name,
    description: `Conformance fixture ${name}.`,
    arguments: required.map((argument) => ({ name: argument, required: true })),
  };
  return { definition, render };
}

function resource(uri: string, mimeType: string): Resource {
  const name = uri.slice('test://'.length);
  return { uri, name, description: `Conformance fixture ${name}.`, mimeType };
}

function withText(property: string): Tool['inputSchema'] {
  return { type: 'object', properties: { [property]: { type: 'string' } }, required: [property] };
}

function askName(message: string) {
  return elicit(message, nameForm);
}

function elicit(message: string, requestedSchema: z.ZodObject) {
  return inputRequired.elicit({ message, requestedSchema });
}

function sample(question: string) {
  return inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens: 100,
  });
}

function text(words: string): CallToolResult {
  return content({ type: 'text', text: words });
}

function content(...blocks: ContentBlock[]): CallToolResult {
  return { content: blocks };
}

function messages(...blocks: PromptMessage['content'][]): GetPromptResult {
  return { messages: blocks.map((block) => ({ role: 'user', content: block })) };
}

function image(): ContentBlock {
  return { type: 'image', data: PNG, mimeType: 'image/png' };
}

function embedded(uri: string, mimeType: string, words: string): ContentBlock {
  return { type: 'resource', resource: { uri, mimeType, text: words } };
}

function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, STEP_MS);
  });
}
