/** The Python SDK of MCP, by a program of ours that makes the calls it reads. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startLineClient } from "./line-client.mjs";

const PROGRAM = fileURLToPath(new URL("../programs/python-mcp.py", import.meta.url));

/** @type {import("../rounds.mjs").Driver} */
export const pythonMcp = {
  id: "python-mcp",
  way: "MCP",
  isDirect: true,
  isHost: false,
  goesOn: true,
  toolName: (name) => name,
  cannot: { cancel: "the SDK sends no cancellation when its caller gives up" },
  start: async ({ place, folder }) => {
    const { command, args, env } = place.engine;
    const words = [command, args, env].map((value) => JSON.stringify(value));
    return startLineClient(join(folder, "bin", "python"), [PROGRAM, ...words], { cwd: place.project, env: place.env });
  },
};
