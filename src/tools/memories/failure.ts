/** Failures as seed 003 has them, whatever went wrong and wherever. */
import type { ErrorData } from '#errors.ts';
import { describeFaults } from '../failure-text.ts';

type MemoryErrorCode =
  | 'MEMORY_NOT_FOUND'
  | 'INVALID_PARAMETER'
  | 'STORAGE_ERROR'
  | 'EMBEDDING_ERROR';

/** Every tool of the toolset has it as its `failure`. */
export function memoryFailure(error: ErrorData): Record<string, unknown> {
  return { error: { code: codeOf(error), message: describeFaults(error) } };
}

function codeOf({ code, faults = [] }: ErrorData): MemoryErrorCode {
  switch (code) {
    case 'not_found':
      return 'MEMORY_NOT_FOUND';
    case 'invalid_input':
    case 'already_exists':
    case 'conflict':
    case 'limit_exceeded':
      return 'INVALID_PARAMETER';
    case 'unavailable':
      // An argument is at fault for that only when it could not be embedded.
      return faults.length > 0 ? 'EMBEDDING_ERROR' : 'STORAGE_ERROR';
    case 'forbidden':
    case 'internal':
      return 'STORAGE_ERROR';
  }
}
