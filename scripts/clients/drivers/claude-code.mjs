/**
 * Claude Code with the engine as its only MCP server: without its screen (`-p`), and at a terminal where a call is cancelled by
 * Escape.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChild } from "../child.mjs";
import { DUMMY_KEY } from "../place.mjs";
import { startAtTerminal } from "./keys.mjs";

/** What it keeps of a key that its person has agreed to, in characters from its end. */
const KEY_END = 20;

/** @type {import("../rounds.mjs").Driver} */
export const claudeCode = {
  id: "claude-code",
  way: "MCP",
  isHost: false,
  goesOn: true,
  toolName: (name) => `mcp__engine__${name}`,
  cannot: {},
  start: async ({ round, place, folder, url, over }) => {
    const configuration = join(place.folder, "mcp.json");
    writeFileSync(configuration, JSON.stringify({ mcpServers: { engine: place.engine } }));
    const own = ["--mcp-config", configuration, "--strict-mcp-config", "--allowedTools", "mcp__engine"];
    const program = join(folder, "node_modules", "@anthropic-ai", `claude-code-linux-${process.arch}`, "claude");
    const options = {
      cwd: place.project,
      env: {
        ...place.env,
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: DUMMY_KEY,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
      },
    };
    if (round !== "cancel") return startChild(program, ["-p", "Begin.", ...own], options);
    writeFileSync(join(place.home, ".claude.json"), JSON.stringify(answered(place.project)));
    return startAtTerminal(program, ["Begin.", ...own], { ...options, over, exit: "/exit" });
  },
};

/** What it asks a new person, answered. */
const answered = (project) => ({
  hasCompletedOnboarding: true,
  theme: "dark",
  customApiKeyResponses: { approved: [DUMMY_KEY.slice(-KEY_END)], rejected: [] },
  projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
});
