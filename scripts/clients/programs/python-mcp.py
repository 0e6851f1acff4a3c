"""A client on the Python SDK of MCP: calls come on lines of JSON, answers go back the same way.

Arguments: the engine's program, its arguments, its environment, each as JSON. SIGINT cancels the calls under way, as a
caller does who has waited long enough.
"""

import asyncio
import json
import signal
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def text_of(result):
    return "\n".join(part.text if part.type == "text" else part.model_dump_json() for part in result.content)


async def main():
    command, args, env = (json.loads(word) for word in sys.argv[1:4])
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=2**24)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    under_way = None

    def cancel():
        if under_way is not None:
            under_way.cancel()

    loop.add_signal_handler(signal.SIGINT, cancel)
    async with stdio_client(StdioServerParameters(command=command, args=args, env=env)) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            while line := await reader.readline():
                asked = json.loads(line)
                if "list" in asked:
                    answer = [tool.name for tool in (await session.list_tools()).tools]
                else:
                    calls = [session.call_tool(call["name"], call["input"]) for call in asked["calls"]]
                    under_way = asyncio.gather(*calls)
                    try:
                        answer = [text_of(result) for result in await under_way]
                    except asyncio.CancelledError:
                        answer = None
                    under_way = None
                print(json.dumps({"answer": answer}), flush=True)


asyncio.run(main())
