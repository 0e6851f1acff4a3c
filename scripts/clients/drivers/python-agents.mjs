/** Agents in Python with the engine as their MCP server, by programs of ours on their SDKs. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startChild } from "../child.mjs";

/**
 * @param {string} id
 * @param {string} program a file in `programs/`
 * @returns {import("../rounds.mjs").Driver}
 */
function pythonAgent(id, program) {
  const path = fileURLToPath(new URL(`../programs/${program}`, import.meta.url));
  return {
    id,
    way: "MCP",
    isHost: false,
    goesOn: false,
    toolName: (name) => name,
    cannot: {},
    start: async ({ place, folder, url }) => {
      const { command, args, env } = place.engine;
      const words = [command, args, env].map((value) => JSON.stringify(value));
      const python = join(folder, "bin", "python");
      return startChild(python, [path, url, ...words], { cwd: place.project, env: place.env });
    },
  };
}

export const openAiAgents = pythonAgent("openai-agents", "openai-agents.py");
export const langChain = pythonAgent("langchain", "langchain-agent.py");
