"""The Python SDK."""

from contextlib import asynccontextmanager

from bridge import serve
from mcp import Client


@asynccontextmanager
async def connect(url):
    async with Client(url) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]

        async def call(tool, given):
            result = await client.call_tool(tool, given)
            return "\n".join(block.text for block in result.content)

        yield names, call


serve(connect)
