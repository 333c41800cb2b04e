/** Failures as seed 004 has them: one text, what failed and then the detail. */
import type { ErrorData } from '#errors.ts';

/** Every tool of the toolset has it as its `failureText`. */
export function sessionFailure({ code }: ErrorData, detail: string): string {
  return `Tool Error: ${nameOf(code)}. Message: ${detail}`;
}

function nameOf(code: ErrorData['code']): string {
  switch (code) {
    case 'invalid_input':
      return 'Invalid arguments';
    case 'not_found':
      return 'Not found';
    case 'already_exists':
      return 'Already exists';
    case 'conflict':
      return 'Conflict';
    case 'limit_exceeded':
      return 'Limit exceeded';
    case 'forbidden':
      return 'Forbidden';
    case 'unavailable':
      return 'Database unavailable';
    case 'internal':
      return 'Internal failure';
  }
}
