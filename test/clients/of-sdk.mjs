/** A connection of steps.mjs by a client of either TypeScript SDK. */
export function ofSdk(client) {
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, input) {
      const { content } = await client.callTool({ name, arguments: input });
      return content.map(({ text }) => text).join('\n');
    },
    close: () => client.close(),
  };
}
