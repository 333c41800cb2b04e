/** What the address of an MCP endpoint may say behind its `?`. */
import { MemoryError, quote } from '#errors.ts';

const PARAMETERS = ['toolsets', 'readonly', 'schema'] as const;

/**
 * Refuses what `/mcp` does not know: a misspelt `readonly` would leave writing on without a word.
 * Names alone are repeated, since a value may be a secret. Throws `invalid_input`.
 */
export function requireKnownParameters(parameters: URLSearchParams): void {
  const known: readonly string[] = PARAMETERS;
  const unknown = [...new Set(parameters.keys())].filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const which = unknown.map((name) => quote(name)).join(', ');
  throw new MemoryError(
    'invalid_input',
    `The address has parameters that /mcp does not know: ${which}.`,
    {
      hint: `It knows ${known.join(', ')}, such as /mcp?toolsets=core,threads&readonly=1. A thread is named by the path: /mcp/<threadId>.`,
    },
  );
}
