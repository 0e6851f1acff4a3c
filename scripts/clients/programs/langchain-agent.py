"""A LangChain agent with the engine as its MCP server, by the MCP adapters.

Arguments: address of the model; the engine's program, its arguments, its environment, each as JSON.
"""

import asyncio
import json
import sys

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from langchain_openai import ChatOpenAI


async def main():
    url = sys.argv[1]
    command, args, env = (json.loads(word) for word in sys.argv[2:5])
    server = {"transport": "stdio", "command": command, "args": args, "env": env}
    client = MultiServerMCPClient({"engine": server})
    async with client.session("engine") as session:
        model = ChatOpenAI(model="scripted", base_url=f"{url}/v1", api_key="dummy", use_responses_api=False)
        agent = create_agent(model, await load_mcp_tools(session))
        answer = await agent.ainvoke({"messages": "Begin."}, {"recursion_limit": 200})
        print(answer["messages"][-1].content)


asyncio.run(main())
