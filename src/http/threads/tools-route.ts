/**
 * Tools without MCP: the body is a tool's input, the answer its structured value. What a call means
 * and what it may do is decided where MCP has it decided too.
 */
import type { Context } from 'hono';
import { scopeOfEffect } from '#auth/scopes.ts';
import { httpStatus, MemoryError, type ErrorData } from '#errors.ts';
import { missingScopeOf, permitsTool } from '#thread/tool-access.ts';
import { openToolClient } from '#thread/tool-client.ts';
import type { Outcome } from '#thread/outcome.ts';
import { requireTool, selectTools } from '#tools/catalog.ts';
import type { Tool } from '#tools/define.ts';
import { namePaths } from '#tools/parse.ts';
import { addressOf, admitCalls, principalOf, refuseScope } from '#http/guards/auth-guard.ts';
import type { GuardedContext } from '#http/context.ts';
import { errorResponse } from '#http/error-response.ts';
import { HINT_HEADER, IGNORED_HEADER, RENAMED_HEADER, toHeaderText } from '#http/headers.ts';
import { isSwitchedOn } from '#http/guards/switches.ts';
import { REFUSED_STATUS, type TOOL_ROUTE } from './tool-address.ts';

/** Every tool of every toolset. Throws `MemoryError` for what is wrong before the tool is called. */
export async function serveToolCall(
  context: Context<GuardedContext, typeof TOOL_ROUTE>,
): Promise<Response> {
  const { env, req } = context;
  const principal = principalOf(context);
  const { threadId: boundThreadId } = addressOf(context, req.param('threadId'));
  const isReadonly = isSwitchedOn('readonly', req.query('readonly'));
  const tool = requireTool(req.param('tool'), selectTools('all', { isReadonly, isBound: true }));
  if (!permitsTool(principal)(tool)) return refuseScope(context, scopeOfEffect(tool.effect));
  const mediaType = req.header('content-type');
  if (mediaType !== undefined && !isJson(mediaType)) return refuseMediaType(context);
  const body = await req.text();
  if (mediaType === undefined && body !== '') return refuseMediaType(context);
  const args = parseArguments(body);
  const missing = missingScopeOf(principal, tool, args);
  if (missing !== undefined) return refuseScope(context, missing);
  await admitCalls(context);
  const { outcome } = await openToolClient(env, principal).call({ tool, args, boundThreadId });
  return answer(context, tool, outcome);
}

function answer(context: Context, tool: Tool, outcome: Outcome): Response {
  if (!outcome.ok) return answerFailure(context, tool, outcome.error);
  const { value, ignored, renamed, isFailure } = outcome;
  if (ignored.length > 0) context.header(IGNORED_HEADER, toHeaderText(namePaths(ignored)));
  if (renamed.length > 0) context.header(RENAMED_HEADER, toHeaderText(namePaths(renamed)));
  return context.json(value, isFailure ? REFUSED_STATUS : 200);
}

/** In the shape that the tool's contract has for a failure, if it has one. */
function answerFailure(context: Context, tool: Tool, error: ErrorData): Response {
  const ownShape = tool.failure(error);
  if (ownShape === undefined) return errorResponse(context, error);
  if (error.hint !== undefined) context.header(HINT_HEADER, toHeaderText(error.hint));
  return context.json(ownShape, httpStatus(error.code));
}

/** No body at all stands for no arguments. */
function parseArguments(body: string): Record<string, unknown> {
  let args: unknown;
  try {
    args = body === '' ? {} : JSON.parse(body);
  } catch {
    throw new MemoryError('invalid_input', 'The body is not JSON.', { hint: BODY_HINT });
  }
  if (typeof args === 'object' && args !== null && !Array.isArray(args)) {
    return args as Record<string, unknown>;
  }
  throw new MemoryError('invalid_input', 'The body is not a JSON object.', { hint: BODY_HINT });
}

const BODY_HINT = 'Send the arguments of the tool as one JSON object. Nothing was changed.';

function isJson(mediaType: string): boolean {
  return mediaType.split(';')[0]?.trim().toLowerCase() === 'application/json';
}

function refuseMediaType(context: Context): Response {
  return errorResponse(
    context,
    {
      code: 'invalid_input',
      message: 'The body is not sent as JSON.',
      hint: "Add the header 'Content-Type: application/json'. Nothing was changed.",
    },
    415,
  );
}
