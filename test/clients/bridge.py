"""Answers requests of python.mjs, a line of JSON each: {"tool", "input"}, or {} for the names of the tools."""

import asyncio
import json
import sys


def serve(connect):
    """`connect(url)` is an async context manager of (names of tools, async call(tool, input) -> text)."""

    async def run():
        async with connect(sys.argv[1]) as (names, call):
            print(json.dumps({"ready": True}), flush=True)
            while line := await asyncio.to_thread(sys.stdin.readline):
                request = json.loads(line)
                text = await call(request["tool"], request["input"]) if request else " ".join(names)
                print(json.dumps({"text": text}), flush=True)

    asyncio.run(run())
