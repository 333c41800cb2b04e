/** A connection of steps.mjs by a client in Python, which bridge.py runs in an environment of its own. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** `environment` is the folder of a virtual environment beside this file. */
export async function connectPython(environment, script, url) {
  const child = spawn(
    join(import.meta.dirname, environment, 'bin/python'),
    [join(import.meta.dirname, script), url],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
  let complaint = '';
  child.stderr.on('data', (chunk) => (complaint += String(chunk)));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(complaint.trim().split('\n').at(-1) ?? 'Python has ended.');
    return JSON.parse(value);
  };
  const ask = async (request) => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    return (await read()).text;
  };
  await read();
  return {
    list: async () => (await ask({})).split(' '),
    call: (tool, input) => ask({ tool, input }),
    async close() {
      child.stdin.end();
    },
  };
}
