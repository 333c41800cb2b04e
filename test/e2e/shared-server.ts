/** One server for every end-to-end test that needs no settings or state of its own. */
import type { TestProject } from 'vitest/node';
import { startDevServer } from '../../scripts/support/dev-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of a server that is open to this machine, such as `http://127.0.0.1:8787`. */
    serverUrl: string;
  }
}

/** Runs once before the tests; what it returns runs after them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startDevServer();
  project.provide('serverUrl', server.url);
  return async () => {
    await server[Symbol.asyncDispose]();
  };
}
