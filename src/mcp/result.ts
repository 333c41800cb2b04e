/** The only place that turns an outcome into a tool result: structured content, text, and errors. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ErrorData, Fault } from '#errors.ts';
import type { Outcome } from '#thread/outcome.ts';
import type { Tool } from '#tools/define.ts';
import { namePaths } from '#tools/parse.ts';

/** Faults named in the text; a model fixes these first. */
const FAULTS_SHOWN_MAX = 20;

/** `threadId` is undefined for a failure found before any thread was named. */
export function toToolResult(
  tool: Tool,
  outcome: Outcome,
  threadId: string | undefined,
): CallToolResult {
  const meta = threadId === undefined ? {} : { threadId };
  return outcome.ok ? toSuccess(tool, outcome, meta) : toFailure(tool, outcome.error, meta);
}

function toFailure(tool: Tool, error: ErrorData, meta: { threadId?: string }): CallToolResult {
  const ownShape = tool.failure(error);
  if (ownShape === undefined) {
    const text = tool.failureText(error, describeError(error));
    const content = [{ type: 'text' as const, text }];
    return { isError: true, content, _meta: { ...meta, error } };
  }
  // A contract's shape has no room for advice, which a model reads from the text.
  const texts = [JSON.stringify(ownShape), ...(error.hint === undefined ? [] : [error.hint])];
  return {
    isError: true,
    content: texts.map((text) => ({ type: 'text', text })),
    structuredContent: ownShape,
    _meta: { ...meta, error },
  };
}

function toSuccess(
  tool: Tool,
  { value, ignored, renamed, isFailure }: Extract<Outcome, { ok: true }>,
  meta: { threadId?: string },
): CallToolResult {
  const own = tool.text(value);
  const content: CallToolResult['content'] = [{ type: 'text', text: own ?? JSON.stringify(value) }];
  // A text of the tool's own may be a bare list, which has no room for what was left out of it.
  if (own !== undefined && typeof value['note'] === 'string') {
    content.push({ type: 'text', text: value['note'] });
  }
  if (renamed.length > 0) {
    content.push({ type: 'text', text: `Read ${namePaths(renamed)}.` });
  }
  if (ignored.length > 0) {
    content.push({
      type: 'text',
      text: `Ignored unknown arguments: ${namePaths(ignored)}.`,
    });
  }
  return {
    content,
    structuredContent: value,
    ...(isFailure && { isError: true }),
    _meta: meta,
  };
}

/** The text is all that a model has to go by: what is wrong, each fault, and what to do. */
export function describeError({ message, hint, faults = [] }: ErrorData): string {
  const listed =
    faults.length > 1 || (faults.length === 1 && !message.includes(faults[0]?.problem ?? ''));
  const lines = listed ? faults.slice(0, FAULTS_SHOWN_MAX).map(describeFault) : [];
  const more = listed ? faults.length - lines.length : 0;
  const advice = hint ?? (listed ? undefined : faults[0]?.suggestion);
  return [
    message,
    ...lines,
    ...(more > 0 ? [`- … and ${more} more.`] : []),
    ...(advice === undefined ? [] : [advice]),
  ].join('\n');
}

function describeFault({ path, problem, suggestion }: Fault): string {
  return `- ${path}: ${problem}${suggestion === undefined ? '' : ` ${suggestion}`}`;
}
