/**
 * Gives the test pool the Worker's modules without asking Vitest for them. The pool resolves the entry
 * of the Worker anew for each call to an object and for each alarm, by a message to Vitest's own process
 * (`importModule` in @cloudflare/vitest-pool-workers 0.23). Two defects follow:
 *
 * - An alarm that fires while a file ends has its message rejected ("Closing rpc while "resolve" was
 *   pending"), which fails the run.
 * - A message that is written in the context of another object is refused by workerd and never sent.
 *   Vitest waits for its answer without a limit, so the run never ends.
 *
 * The entry does not change while tests run, so the first answer is right for all of them.
 */
import { inject } from 'vitest';

interface ModuleRunner {
  import(id: string): Promise<unknown>;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** JSON that the pool gives to its own code in workerd. */
    cloudflarePoolOptions: string;
  }
}

declare global {
  /** Set by Vitest; the pool imports through it. */
  var __vitest_mocker__: { readonly moduleRunner: ModuleRunner };
}

const { main } = JSON.parse(inject('cloudflarePoolOptions')) as { main: string };
const runner = __vitest_mocker__.moduleRunner;

// Files share a runtime, and each runs this module again.
if (!Object.hasOwn(runner, 'import')) {
  const load = runner.import.bind(runner);
  const entry = await load(main);
  runner.import = async (id) => (id === main ? entry : load(id));
}
