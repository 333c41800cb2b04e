/** Failures as seed 002 has them, whatever went wrong and wherever. */
import type { ErrorData } from '#errors.ts';
import { describeFaults } from '../failure-text.ts';

type NodeErrorCode =
  | 'memory_validation_error'
  | 'memory_not_found'
  | 'memory_service_error'
  | 'connection_error';

/** Every tool of the toolset has it as its `failure`. */
export function nodeFailure(error: ErrorData): Record<string, unknown> {
  const code = codeOf(error.code);
  return { success: false, error: describeFaults(error), code, error_code: code };
}

function codeOf(code: ErrorData['code']): NodeErrorCode {
  switch (code) {
    case 'invalid_input':
    case 'already_exists':
      return 'memory_validation_error';
    case 'not_found':
      return 'memory_not_found';
    case 'unavailable':
      return 'connection_error';
    case 'conflict':
    case 'limit_exceeded':
    case 'forbidden':
    case 'internal':
      return 'memory_service_error';
  }
}
