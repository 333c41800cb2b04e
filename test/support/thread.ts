/** The object of a test's thread from inside: for what no client can bring about. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { threadObjectName } from '#thread/thread-address.ts';
import type { Caller } from '#thread/thread-client.ts';
import type { Outcome } from '#thread/outcome.ts';
import type { TestMemory } from './memory.ts';

interface ThreadInside {
  env: object;
  call(tool: string, input: Record<string, unknown>, caller: Caller): Promise<Outcome>;
  alarm(): Promise<void>;
}

/** `work` gets the object itself; its calls do not cross the RPC boundary. */
export function runInThread<Value>(
  { threadId }: TestMemory,
  work: (thread: ThreadInside) => Promise<Value>,
): Promise<Value> {
  const stub = env.THREAD.getByName(threadObjectName({ subject: 'test', threadId }));
  return runInDurableObject(stub, (thread) => work(thread as unknown as ThreadInside));
}
