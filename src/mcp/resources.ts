/** A thread as resources: `memory://{threadId}/graph` and `memory://{threadId}/entities/{name}`. */
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { describeError } from './result.ts';
import type { Outcome } from '#thread/outcome.ts';

const JSON_TYPE = 'application/json';

/** What a resource is read with: the same tools, so the same bounds and the same one RPC. */
export type ReadTool = (
  threadId: string,
  tool: 'read_graph' | 'open_nodes',
  input: Record<string, unknown>,
) => Promise<Outcome>;

/** Concrete resources exist where the URL names the thread. */
export function listResources(boundThreadId: string | undefined): Resource[] {
  if (boundThreadId === undefined) return [];
  return [
    {
      uri: `memory://${encodeURIComponent(boundThreadId)}/graph`,
      name: 'graph',
      title: `Graph of ${boundThreadId}`,
      description: 'The first page of the graph; it says what it left out.',
      mimeType: JSON_TYPE,
    },
  ];
}

export function listResourceTemplates(boundThreadId: string | undefined): ResourceTemplateType[] {
  const thread = boundThreadId === undefined ? '{threadId}' : encodeURIComponent(boundThreadId);
  const entities = {
    uriTemplate: `memory://${thread}/entities/{name}`,
    name: 'entity',
    title: 'Entity',
    description: 'One entity in full detail, with every relation that touches it.',
    mimeType: JSON_TYPE,
  };
  const graph = {
    uriTemplate: `memory://${thread}/graph`,
    name: 'graph',
    title: 'Graph',
    description: 'The first page of the graph; it says what it left out.',
    mimeType: JSON_TYPE,
  };
  return boundThreadId === undefined ? [graph, entities] : [entities];
}

/** Throws `ResourceNotFoundError` for a URI of no thread, of another thread, or of no entity. */
export async function readResource(
  uri: string,
  boundThreadId: string | undefined,
  read: ReadTool,
): Promise<ReadResourceResult> {
  const target = parseUri(uri);
  if (target === undefined || (boundThreadId !== undefined && target.threadId !== boundThreadId)) {
    throw new ResourceNotFoundError(uri);
  }
  const outcome =
    target.name === undefined
      ? await read(target.threadId, 'read_graph', {})
      : await read(target.threadId, 'open_nodes', { names: [target.name], detail: 'full' });
  if (!outcome.ok) {
    const isOurs = outcome.error.code === 'internal' || outcome.error.code === 'unavailable';
    throw new ProtocolError(
      isOurs ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams,
      describeError(outcome.error),
    );
  }
  if (target.name !== undefined && 'missing' in outcome.value) throw new ResourceNotFoundError(uri);
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(outcome.value) }] };
}

function parseUri(uri: string): { threadId: string; name: string | undefined } | undefined {
  const parts = /^memory:\/\/([^/?#]+)\/(?:graph|entities\/([^/?#]+))$/.exec(uri);
  if (parts?.[1] === undefined) return undefined;
  try {
    return {
      threadId: decodeURIComponent(parts[1]).normalize('NFC'),
      name: parts[2] === undefined ? undefined : decodeURIComponent(parts[2]),
    };
  } catch {
    return undefined;
  }
}
