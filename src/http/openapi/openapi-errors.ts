/** What OpenAPI says of failures: one response for each status, made from the closed set of error codes. */
import { httpStatus, type ErrorData } from '#errors.ts';
import type { Tool } from '#tools/define.ts';
import type { JsonSchema } from '#tools/json-schema.ts';
import { HINT_HEADER } from '#http/headers.ts';

type Code = ErrorData['code'];
type Status = ReturnType<typeof httpStatus>;

const MEANINGS: Readonly<Record<Code, string>> = {
  invalid_input: 'The request is wrong. Nothing was changed.',
  forbidden: 'The host, the origin or the connection may not do this.',
  not_found: 'There is no such thing.',
  already_exists: 'It is there already.',
  conflict: 'It has changed meanwhile, or was replaced.',
  limit_exceeded: 'More was asked for or sent than is served at once.',
  internal: 'A fault of the server; the message has a reference to report.',
  unavailable:
    'The thread or a service cannot be reached just now, or no credentials are configured.',
};

const NAMES: Readonly<Record<Status, string>> = {
  400: 'InvalidInput',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'TooLarge',
  500: 'Internal',
  503: 'Unavailable',
};

const CODES = Object.keys(MEANINGS) as Code[];
const STATUSES = [...new Set(CODES.map(httpStatus))].toSorted((a, b) => a - b);
const MEDIA_TYPE_NAME = 'UnsupportedMediaType';
const CREDENTIAL_NAME = 'NoCredential';
const RATE_NAME = 'TooManyRequests';

const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  description:
    'What went wrong outside of a tool, and in any tool whose contract has no shape for it.',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'string', enum: CODES, description: 'For programs to act on.' },
        message: { type: 'string', description: 'What is wrong, with the value quoted.' },
        hint: { type: ['string', 'null'], description: 'What to do next.' },
        faults: {
          type: 'array',
          description: 'Everything that is wrong with the request, item by item.',
          items: {
            type: 'object',
            properties: {
              path: { type: 'string', description: 'Such as entities[2].observations[0].' },
              problem: { type: 'string', description: 'What is wrong there.' },
              suggestion: { type: 'string', description: 'What to do about it.' },
            },
            required: ['path', 'problem'],
          },
        },
      },
      required: ['code', 'message', 'hint'],
    },
  },
  required: ['error'],
};

/** For each status the name of a response, to be referred to as `responses` of an operation. */
export type Responses = Readonly<Record<string, { readonly $ref: string }>>;

export interface FailureComponents {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly responses: Readonly<Record<string, JsonSchema>>;
}

/** What any route may answer that has no shape of its own for a failure. */
export const ERROR_RESPONSES: Responses = referTo('');

/** What any route of memory may answer before it looks at anything but the credential. */
export const ACCESS_RESPONSES: Responses = {
  401: refer(CREDENTIAL_NAME),
  429: refer(RATE_NAME),
};

/** A tool takes a body, which may be of a type that is not JSON. */
export function toolFailures(tool: Tool, prefix: string): Responses {
  return {
    ...referTo(shapeOfFailure(tool) === undefined ? '' : prefix),
    ...ACCESS_RESPONSES,
    415: refer(MEDIA_TYPE_NAME),
  };
}

/** For the routes, and for tools that share no shape of their own for a failure. */
export function errorComponents(): FailureComponents {
  const entries = STATUSES.map((status) => [NAMES[status], describeStatus(status)] as const);
  return {
    schemas: { ErrorBody: ERROR_SCHEMA },
    responses: {
      ...Object.fromEntries(entries),
      [MEDIA_TYPE_NAME]: toResponse('The body is not sent as application/json.', ERROR_REF),
      [CREDENTIAL_NAME]: {
        ...toResponse('No credential was sent, or one that is not good here.', ERROR_REF),
        headers: { 'WWW-Authenticate': textHeader('How to get one (RFC 6750, RFC 9728).') },
      },
      [RATE_NAME]: {
        ...toResponse('Too many requests of one address or one subject.', ERROR_REF),
        headers: { 'Retry-After': textHeader('Seconds to wait.') },
      },
    },
  };
}

/**
 * For tools whose contract has a shape of its own for a failure; what is found out before the tool
 * is called has the general one. Empty for other tools.
 */
export function ownFailureComponents(tool: Tool, prefix: string): FailureComponents {
  const shape = shapeOfFailure(tool);
  if (shape === undefined) return { schemas: {}, responses: {} };
  const name = `${prefix}Failure`;
  const either = { anyOf: [{ $ref: `#/components/schemas/${name}` }, ERROR_REF] };
  const entries = STATUSES.map((status) => [
    `${prefix}${NAMES[status]}`,
    { ...describeStatus(status, either, tool), headers: { [HINT_HEADER]: HINT } },
  ]);
  return { schemas: { [name]: shape }, responses: Object.fromEntries(entries) };
}

const ERROR_REF = { $ref: '#/components/schemas/ErrorBody' };
const HINT = {
  description: 'What to do next, percent-encoded where it is not ASCII.',
  schema: { type: 'string' },
};

function textHeader(description: string): JsonSchema {
  return { description, schema: { type: 'string' } };
}

function describeStatus(status: Status, schema: JsonSchema = ERROR_REF, tool?: Tool): JsonSchema {
  const codes = CODES.filter((code) => httpStatus(code) === status);
  const description = codes.map((code) => `\`${code}\`: ${MEANINGS[code]}`).join(' ');
  const examples = codes.map((code) => [code, { value: exampleOf(code, tool) }]);
  return toResponse(description, schema, Object.fromEntries(examples));
}

function exampleOf(code: Code, tool: Tool | undefined): JsonSchema {
  const message = MEANINGS[code];
  return tool?.failure({ code, message }) ?? { error: { code, message, hint: null } };
}

function toResponse(description: string, schema: JsonSchema, examples?: JsonSchema): JsonSchema {
  const content = { schema, ...(examples !== undefined && { examples }) };
  return { description, content: { 'application/json': content } };
}

function referTo(prefix: string): Responses {
  return Object.fromEntries(
    STATUSES.map((status) => [String(status), refer(`${prefix}${NAMES[status]}`)]),
  );
}

function refer(name: string): { $ref: string } {
  return { $ref: `#/components/responses/${name}` };
}

/** The schema of what a tool's contract answers to a failed call; undefined if it has nothing to say. */
function shapeOfFailure(tool: Tool): JsonSchema | undefined {
  const sample = tool.failure({ code: 'invalid_input', message: MEANINGS.invalid_input });
  return sample === undefined ? undefined : shapeOf(sample);
}

function shapeOf(value: unknown): JsonSchema {
  if (Array.isArray(value))
    return { type: 'array', items: value.length > 0 ? shapeOf(value[0]) : {} };
  if (value === null) return {};
  if (typeof value !== 'object') return { type: typeof value };
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, shapeOf(field)])),
    required: fields.map(([name]) => name),
  };
}
