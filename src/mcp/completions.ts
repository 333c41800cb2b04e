/** Offers threads and names of entities for the arguments of prompts and resources that take them. */
import {
  ProtocolError,
  ProtocolErrorCode,
  type CompleteRequestParams,
  type CompleteResult,
} from '@modelcontextprotocol/server';
import { quote } from '#errors.ts';
import { COMPLETIONS_MAX, THREAD_ID_CHARS_MAX } from '#limits.ts';
import type { OutcomeOf, Suggestions } from '#thread/outcome.ts';
import { findPrompt } from './prompts.ts';
import { listResources, listResourceTemplates } from './resources.ts';

/** One request to an object each, and only of what the caller may see. */
export interface Suggest {
  threads(prefix: string): Promise<OutcomeOf<Suggestions>>;
  entities(threadId: string, prefix: string): Promise<OutcomeOf<Suggestions>>;
}

/** By the name of the argument, in prompts and in templates. A topic is most often an entity. */
const THREAD_ARGUMENTS = new Set(['threadId']);
const ENTITY_ARGUMENTS = new Set(['name', 'topic']);

/**
 * What goes on from the text so far. An argument that takes neither, a thread out of reach and one that
 * cannot be asked offer nothing. Throws `invalid_params` for a prompt or a resource that there is not.
 */
export async function complete(
  { ref, argument, context }: CompleteRequestParams,
  boundThreadId: string | undefined,
  suggest: Suggest,
): Promise<CompleteResult> {
  requireReference(ref, boundThreadId);
  // Longer than any name: there is nothing to look for.
  if (argument.value.length > THREAD_ID_CHARS_MAX) return toResult({ ok: true, names: [] });
  const threadId = boundThreadId ?? context?.arguments?.['threadId'] ?? '';
  if (THREAD_ARGUMENTS.has(argument.name) && boundThreadId === undefined) {
    return toResult(await suggest.threads(argument.value));
  }
  if (ENTITY_ARGUMENTS.has(argument.name) && threadId !== '') {
    return toResult(await suggest.entities(threadId, argument.value));
  }
  return toResult({ ok: true, names: [] });
}

function requireReference(ref: CompleteRequestParams['ref'], boundThreadId: string | undefined) {
  if (ref.type === 'ref/prompt') return void findPrompt(ref.name);
  const known = [
    ...listResourceTemplates(boundThreadId).map(({ uriTemplate }) => uriTemplate),
    ...listResources(boundThreadId).map(({ uri }) => uri),
  ];
  if (known.includes(ref.uri)) return;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown resource template ${quote(ref.uri)}. There are: ${known.join(', ')}.`,
  );
}

/** An object is asked for one more than a client may be sent. */
function toResult(found: OutcomeOf<Suggestions>): CompleteResult {
  const names = found.ok ? found.names : [];
  return {
    completion: {
      values: names.slice(0, COMPLETIONS_MAX),
      hasMore: names.length > COMPLETIONS_MAX,
    },
  };
}
