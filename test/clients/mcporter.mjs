/** mcporter, a command for each call. */
import { runCommand } from './command.mjs';

export async function connect(url) {
  const server = ['--http-url', url, '--allow-http', '--name', 'skein'];
  const { status, text } = runCommand('mcporter', ['list', ...server, '--json']);
  if (status !== 0) throw new Error(text);
  return {
    list: async () => JSON.parse(text.slice(text.indexOf('{'))).tools.map(({ name }) => name),
    call: async (tool, input) =>
      runCommand('mcporter', [
        'call',
        ...server,
        '--tool',
        tool,
        '--args',
        JSON.stringify(input),
        '--output',
        'text',
      ]).text,
    close: async () => undefined,
  };
}
