/** Requests to the server: tools by their typed names, and the few routes that are no tools. */
import type { ErrorAnswer, Fault, SessionAnswer, ToolName, ToolWire } from '#http/wire.ts';

/** What the server refused, in its own words. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly faults: readonly Fault[];

  constructor(status: number, error: ErrorAnswer['error']) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.hint = error.hint;
    this.faults = error.faults ?? [];
  }
}

const TOKEN_KEY = 'skein.token';

/** An API token that was entered on this page; it goes with the tab. */
export function readToken(): string | undefined {
  return sessionStorage.getItem(TOKEN_KEY) ?? undefined;
}

export function keepToken(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(TOKEN_KEY);
  else sessionStorage.setItem(TOKEN_KEY, token);
}

/** Throws an `ApiError` for every answer with a status of 400 or more, and where nobody answers. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const token = readToken();
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
  let answer: Response;
  try {
    answer = await fetch(path, { ...init, headers });
  } catch {
    throw new ApiError(0, {
      code: 'unavailable',
      message: 'The server does not answer.',
      hint: 'Check that it runs and that you are connected, then try again.',
    });
  }
  if (answer.ok) return answer;
  throw new ApiError(answer.status, await readProblem(answer));
}

export async function callTool<Name extends ToolName>(
  threadId: string,
  tool: Name,
  input: ToolWire[Name]['input'],
): Promise<ToolWire[Name]['output']> {
  const answer = await request(`${threadPath(threadId)}/tools/${tool}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(input),
  });
  return (await answer.json()) as ToolWire[Name]['output'];
}

export function threadPath(threadId: string): string {
  return `/api/threads/${encodeURIComponent(threadId)}`;
}

export async function readSession(): Promise<SessionAnswer> {
  return (await (await request('/session')).json()) as SessionAnswer;
}

/** The parts of a refusal that any shape of it has: the server's own, and that of a refused save. */
async function readProblem(answer: Response): Promise<ErrorAnswer['error']> {
  const unknown = { code: 'internal', message: `The server answered ${answer.status}.` };
  try {
    const body = (await answer.json()) as Partial<ErrorAnswer> & {
      readonly errors?: readonly { problem: string; suggestion?: string }[];
    };
    if (body.error?.message !== undefined) return body.error;
    const [first] = body.errors ?? [];
    if (first === undefined) return unknown;
    return {
      code: 'invalid_input',
      message: first.problem,
      ...(first.suggestion !== undefined && { hint: first.suggestion }),
    };
  } catch {
    return unknown;
  }
}
