/** Mastra, which checks the arguments by `inputSchema` before it calls. */
import { MCPClient } from '@mastra/mcp';

export async function connect(url) {
  const client = new MCPClient({ servers: { skein: { url: new URL(url) } } });
  const { skein: tools } = await client.listToolsets();
  if (tools === undefined) throw new Error('Mastra reached no server.');
  return {
    list: async () => Object.keys(tools),
    async call(name, input) {
      try {
        return JSON.stringify(await tools[name].execute(input, {}));
      } catch (error) {
        return String(error.message);
      }
    },
    close: () => client.disconnect(),
  };
}
