"""LangChain for Python."""

from contextlib import asynccontextmanager

from bridge import serve
from langchain_mcp_adapters.client import MultiServerMCPClient


@asynccontextmanager
async def connect(url):
    client = MultiServerMCPClient({"skein": {"transport": "streamable_http", "url": url}})
    tools = {tool.name: tool for tool in await client.get_tools()}

    async def call(name, given):
        try:
            # As an agent calls it: with the id of a tool call, for a message in return.
            message = await tools[name].ainvoke(
                {"type": "tool_call", "id": "1", "name": name, "args": given}
            )
        except Exception as error:
            # An agent hands the error's text to the model.
            return str(error)
        if isinstance(message.content, str):
            return message.content
        return "\n".join(block["text"] for block in message.content)

    yield list(tools), call


serve(connect)
