"""An agent on the OpenAI Agents SDK with the engine as its MCP server.

Arguments: address of the model; the engine's program, its arguments, its environment, each as JSON.
"""

import asyncio
import json
import sys

from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio
from openai import AsyncOpenAI


async def main():
    url = sys.argv[1]
    command, args, env = (json.loads(word) for word in sys.argv[2:5])
    set_tracing_disabled(True)
    params = {"command": command, "args": args, "env": env}
    # By default it waits 5 s for the answer of a call.
    async with MCPServerStdio(params=params, client_session_timeout_seconds=120) as server:
        client = AsyncOpenAI(base_url=f"{url}/v1", api_key="dummy")
        model = OpenAIResponsesModel(model="scripted", openai_client=client)
        agent = Agent(name="agent", instructions="Do it.", model=model, mcp_servers=[server])
        result = await Runner.run(agent, "Begin.", max_turns=100)
        print(result.final_output)


asyncio.run(main())
