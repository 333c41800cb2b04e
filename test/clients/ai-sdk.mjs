/** The AI SDK: its loop of tool calls, with a model that only says which tool to call. */
import { createMCPClient } from '@ai-sdk/mcp';
import { generateText } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

export async function connect(url) {
  const client = await createMCPClient({ transport: { type: 'http', url } });
  const tools = await client.tools();
  return {
    list: async () => Object.keys(tools),
    async call(toolName, input) {
      const { content } = await generateText({
        model: sayCall(toolName, input),
        tools,
        prompt: 'Go on.',
      });
      return content
        .filter(({ type }) => type === 'tool-result' || type === 'tool-error')
        .map(({ output, error }) => (error === undefined ? JSON.stringify(output) : String(error)))
        .join('\n');
    },
    close: () => client.close(),
  };
}

function sayCall(toolName, input) {
  return new MockLanguageModelV4({
    doGenerate: async () => ({
      content: [{ type: 'tool-call', toolCallId: '1', toolName, input: JSON.stringify(input) }],
      finishReason: { unified: 'tool-calls', raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    }),
  });
}
