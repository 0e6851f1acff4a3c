/** Claude Code without its screen (`-p`), with the engine as its only MCP server. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChild } from "../child.mjs";
import { DUMMY_KEY } from "../place.mjs";

/** @type {import("../rounds.mjs").Driver} */
export const claudeCode = {
  id: "claude-code",
  way: "MCP",
  isHost: false,
  goesOn: false,
  toolName: (name) => `mcp__engine__${name}`,
  cannot: {},
  start: async ({ place, folder, url }) => {
    const configuration = join(place.folder, "mcp.json");
    writeFileSync(configuration, JSON.stringify({ mcpServers: { engine: place.engine } }));
    const own = ["--mcp-config", configuration, "--strict-mcp-config", "--allowedTools", "mcp__engine"];
    const program = join(folder, "node_modules", "@anthropic-ai", `claude-code-linux-${process.arch}`, "claude");
    return startChild(program, ["-p", "Begin.", ...own], {
      cwd: place.project,
      env: {
        ...place.env,
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: DUMMY_KEY,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
      },
    });
  },
};
