/** Calls tools past the checks of HTTP and MCP, as a principal that may do everything. */
import type { Env } from '#env.ts';
import type { Caller } from '#memory/world.ts';
import type { Outcome } from '#thread/outcome.ts';
import type { ThreadAddress } from '#thread/thread-address.ts';
import { threadStub } from '#thread/thread-stub.ts';
import { callDirectory, callThread } from '#thread/tool-client.ts';
import { findTool } from '#tools/catalog.ts';

type Call = (tool: string, input: Record<string, unknown>, caller: Caller) => Promise<Outcome>;

/** A tool that is not in the catalog is refused by the object, as one of another deployment is. */
export function openThread(env: Env, address: ThreadAddress): Call {
  return (name, input, caller) => {
    const tool = findTool(name);
    if (tool === undefined || address.owner !== undefined) {
      return threadStub(env, address).call(name, input, caller);
    }
    return callThread(env, address, tool, input, caller);
  };
}

/** `threads` are the patterns of threads that are listed; null for all. */
export function openDirectory(env: Env, subject: string, threads: readonly string[] | null): Call {
  return (tool, input) => callDirectory(env, { subject, threads }, tool, input);
}
