/** The Inspector's command line, a command for each call. */
import { runCommand } from './command.mjs';

export async function connect(url) {
  const ask = (...args) =>
    runCommand('inspector', ['--cli', url, '--transport', 'http', '--method', ...args]);
  const { status, text } = ask('tools/list');
  if (status !== 0) throw new Error(text);
  return {
    list: async () => [...text.matchAll(/"name": "(\w+)"/g)].map(([, name]) => name),
    async call(tool, input) {
      const pairs = Object.entries(input).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
      return ask('tools/call', '--tool-name', tool, '--tool-arg', ...pairs).text;
    },
    close: async () => undefined,
  };
}
