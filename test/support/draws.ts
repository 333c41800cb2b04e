/** How many examples a property draws whose examples are whole threads, each some dozens of calls. */
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    propertyScale: number;
  }
}

/** `few` in every run, so that all of them take seconds; more with `PROPERTY_SCALE`. */
export function draws(few: number): { readonly numRuns: number } {
  return { numRuns: few * inject('propertyScale') };
}
