/** What OpenAPI says of the routes that are no tools. A new route is described here, or a test fails. */
import { FILES_LIMIT_DEFAULT, FILES_LIMIT_MAX, OWNER_ID_CHARS_MAX } from '#limits.ts';
import { OWNER_FIELD } from '#tools/define.ts';
import type { JsonSchema } from '#tools/json-schema.ts';
import { EXPORT_FORMATS, fileTypeOf } from '#transfer/graph-formats.ts';
import { NOTE_HEADER } from '#http/headers.ts';
import { ACCESS_RESPONSES, ERROR_RESPONSES } from './openapi-errors.ts';

const SERVER_TAG = 'server';

export const ROUTE_TAGS = [
  { name: SERVER_TAG, description: 'What is no tool: files, and how the server is doing.' },
];

const ON_THREAD = [{ $ref: '#/components/parameters/threadId' }];

const OF_OWNER = {
  name: OWNER_FIELD,
  in: 'query',
  description: 'Whose memory in the thread; its own if left out.',
  schema: { type: 'string', maxLength: OWNER_ID_CHARS_MAX },
};

/** Routes, without those of the tools. */
export const ROUTE_PATHS: Readonly<Record<string, JsonSchema>> = {
  '/health': {
    get: {
      operationId: 'getHealth',
      summary: 'Whether the server is up',
      description: 'Wakes no thread and needs no credentials.',
      security: [],
      tags: [SERVER_TAG],
      responses: {
        200: answer('The server is up.', {
          status: { type: 'string', const: 'ok' },
          name: { type: 'string' },
          version: { type: 'string' },
        }),
        500: ERROR_RESPONSES['500'],
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'getOpenApi',
      summary: 'This description',
      description: 'Wakes no thread and needs no credentials.',
      security: [],
      tags: [SERVER_TAG],
      responses: {
        200: {
          description: 'OpenAPI 3.1.',
          content: { 'application/json': { schema: { type: 'object' } } },
        },
        ...pick(['403', '500']),
      },
    },
  },
  '/api/threads/{threadId}/health': {
    get: {
      operationId: 'getThreadHealth',
      summary: 'How the search of a thread stands',
      tags: [SERVER_TAG],
      parameters: ON_THREAD,
      responses: {
        200: answer('What waits for its vector.', {
          status: {
            type: 'string',
            enum: ['ok', 'catching_up'],
            description: 'catching_up while some texts are found by their words alone.',
          },
          threadId: { type: 'string' },
          embeddingModel: { type: 'string' },
          embeddingBacklog: { type: 'integer', description: 'Texts that wait for their vector.' },
          indexedVectors: {
            type: ['integer', 'null'],
            description: 'Vectors in memory; null before the first question since the thread woke.',
          },
        }),
        ...pick(['400', '403', '500', '503']),
        ...ACCESS_RESPONSES,
      },
    },
  },
  '/api/threads/{threadId}/verify': {
    get: {
      operationId: 'verifyThread',
      summary: 'Whether everything in a thread is as it must be',
      description: 'Reads the whole thread: for operators, after a crash or a restore.',
      tags: [SERVER_TAG],
      parameters: ON_THREAD,
      responses: {
        200: answer('What is broken.', {
          status: { type: 'string', enum: ['sound', 'broken'] },
          threadId: { type: 'string' },
          faults: {
            type: 'array',
            items: {
              type: 'object',
              required: ['rule', 'rows', 'examples'],
              properties: {
                rule: { type: 'string', description: 'What ought to be so.' },
                rows: { type: 'integer', description: 'How many rows break it.' },
                examples: {
                  type: 'array',
                  items: { type: 'string' },
                  description: 'Keys of some of them.',
                },
              },
            },
          },
        }),
        ...pick(['400', '403', '500', '503']),
        ...ACCESS_RESPONSES,
      },
    },
  },
  '/api/threads/{threadId}/dump': {
    get: {
      operationId: 'dumpThread',
      summary: 'The tables of a thread as they are',
      description:
        'Streamed, for memory:admin: also of a thread that this version of the server cannot open. It cannot be imported.',
      tags: [SERVER_TAG],
      parameters: [...ON_THREAD, OF_OWNER],
      responses: {
        200: {
          description:
            'JSON lines: each table begins with its name and how it was made, then come its rows.',
          content: { 'application/jsonl': { schema: { type: 'string' } } },
        },
        ...pick(['400', '403', '500', '503']),
        ...ACCESS_RESPONSES,
      },
    },
  },
  '/api/threads/{threadId}/export': {
    get: {
      operationId: 'exportThread',
      summary: 'The whole graph of a thread as a file',
      description: 'Streamed. A stream that breaks off is not a whole graph.',
      tags: [SERVER_TAG],
      parameters: [
        ...ON_THREAD,
        {
          name: 'format',
          in: 'query',
          description: 'The format of the file.',
          schema: { type: 'string', enum: [...EXPORT_FORMATS], default: 'json' },
        },
      ],
      responses: {
        200: {
          description: 'The file.',
          headers: {
            'Content-Disposition': {
              description: 'A name for the file.',
              schema: { type: 'string' },
            },
            [NOTE_HEADER]: {
              description: 'Says that the thread has no entities, for an empty export.',
              schema: { type: 'string' },
            },
          },
          content: Object.fromEntries(
            EXPORT_FORMATS.map((format) => [
              fileTypeOf(format).mediaType,
              { schema: { type: format === 'json' ? 'object' : 'string' } },
            ]),
          ),
        },
        ...pick(['400', '403', '413', '500', '503']),
        ...ACCESS_RESPONSES,
      },
    },
  },
  '/api/threads/{threadId}/files': {
    get: {
      operationId: 'listThreadFiles',
      summary: 'The files of a thread, newest first',
      description: 'What export_database wrote, and backups. Wakes no thread.',
      tags: [SERVER_TAG],
      parameters: [
        ...ON_THREAD,
        {
          name: 'limit',
          in: 'query',
          description: 'How many are listed.',
          schema: {
            type: 'integer',
            minimum: 1,
            maximum: FILES_LIMIT_MAX,
            default: FILES_LIMIT_DEFAULT,
          },
        },
        OF_OWNER,
      ],
      responses: {
        200: answer('The files.', {
          threadId: { type: 'string' },
          files: {
            type: 'array',
            items: {
              type: 'object',
              required: ['file', 'sizeBytes', 'writtenAt', 'download'],
              properties: {
                file: { type: 'string', description: 'Its name in the thread.' },
                sizeBytes: { type: 'integer' },
                writtenAt: { type: 'string', format: 'date-time' },
                download: { type: 'string', description: 'Path from which it can be fetched.' },
              },
            },
          },
          total: { type: 'integer', description: 'Files that the thread has.' },
        }),
        ...pick(['400', '403', '500', '503']),
        ...ACCESS_RESPONSES,
      },
    },
  },
  '/api/threads/{threadId}/files/{file}': {
    get: {
      operationId: 'downloadFile',
      summary: 'A file that export_database wrote, or a backup',
      tags: [SERVER_TAG],
      parameters: [
        ...ON_THREAD,
        {
          name: 'file',
          in: 'path',
          required: true,
          description: 'Its name, as export_database or the list of files gave it.',
          schema: { type: 'string' },
        },
        OF_OWNER,
      ],
      responses: {
        200: {
          description: 'The file: one JSON object a line.',
          content: { 'application/x-ndjson': { schema: { type: 'string' } } },
        },
        ...pick(['400', '403', '404', '500', '503']),
        ...ACCESS_RESPONSES,
      },
    },
  },
  '/api/threads/{threadId}/import': {
    post: {
      operationId: 'importThread',
      summary: 'Reads a file of any size into a thread',
      description:
        'Answers with the result, or with the error that refused the file. Nothing has changed before the result.',
      tags: [SERVER_TAG],
      parameters: [
        ...ON_THREAD,
        {
          name: 'mode',
          in: 'query',
          description: 'Whether what the thread has and the file has not stays.',
          schema: { type: 'string', enum: ['merge', 'replace'], default: 'merge' },
        },
        {
          name: 'skip',
          in: 'query',
          description:
            'Takes what fits of a file with faults and lists what it left out; otherwise such a file is refused.',
          schema: { type: 'boolean', default: false },
        },
        {
          name: 'progress',
          in: 'query',
          description:
            'Streams how far it has come, one JSON object a line, as application/x-ndjson. The last line has the result or the error, and the status is 200 in either case.',
          schema: { type: 'boolean', default: false },
        },
        OF_OWNER,
      ],
      requestBody: {
        required: true,
        description:
          'A file of export_database or of the reference memory server, or a graph that was exported as json or jsonl.',
        content: { 'application/x-ndjson': { schema: { type: 'string' } } },
      },
      responses: {
        200: {
          description: 'The result; with progress, lines that end with the result or the error.',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { result: { type: 'object' } },
                required: ['result'],
              },
            },
            'application/x-ndjson': { schema: { type: 'string' } },
          },
        },
        ...pick(['400', '403', '413', '500', '503']),
        ...ACCESS_RESPONSES,
      },
    },
  },
};

/** An object of which every field is there. */
function answer(description: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const schema = { type: 'object', properties, required: Object.keys(properties) };
  return { description, content: { 'application/json': { schema } } };
}

function pick(statuses: readonly string[]): JsonSchema {
  return Object.fromEntries(statuses.map((status) => [status, ERROR_RESPONSES[status]]));
}
