/** LangChain, which checks the arguments by `inputSchema` before it calls. */
import { MultiServerMCPClient } from '@langchain/mcp-adapters';

export async function connect(url) {
  const client = new MultiServerMCPClient({
    mcpServers: { skein: { transport: 'http', url } },
  });
  const tools = await client.getTools();
  return {
    list: async () => tools.map(({ name }) => name),
    async call(wanted, input) {
      const tool = tools.find(({ name }) => name === wanted);
      try {
        // As an agent calls it: with the id of a tool call, for a message in return.
        const { content } = await tool.invoke({
          type: 'tool_call',
          id: '1',
          name: wanted,
          args: input,
        });
        return typeof content === 'string' ? content : JSON.stringify(content);
      } catch (error) {
        // An agent hands the error's text to the model.
        return String(error.message);
      }
    },
    close: () => client.close(),
  };
}
