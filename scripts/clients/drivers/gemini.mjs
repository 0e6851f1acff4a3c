/** Gemini CLI without its screen (`-p`). */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChild } from "../child.mjs";
import { DUMMY_KEY } from "../place.mjs";

/** @type {import("../rounds.mjs").Driver} */
export const gemini = {
  id: "gemini",
  way: "MCP",
  isHost: false,
  goesOn: false,
  toolName: (name) => `mcp_engine_${name}`,
  cannot: {},
  start: async ({ place, folder, bin, url }) => {
    const settings = {
      mcpServers: { engine: { ...place.engine, trust: true } },
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    };
    const home = join(place.home, ".gemini");
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "settings.json"), JSON.stringify(settings));
    const program = join(folder, "node_modules", "@google", "gemini-cli", "bundle", "gemini.js");
    // A model that is not "auto": no request is spent on choosing one.
    const own = ["--skip-trust", "--yolo", "--model", "gemini-2.5-flash", "--prompt", "Begin."];
    const client = startChild(join(bin, "node"), [program, ...own], {
      cwd: place.project,
      env: { ...place.env, GEMINI_API_KEY: DUMMY_KEY, GOOGLE_GEMINI_BASE_URL: url },
    });
    // It starts itself once more and passes no signal on: a Ctrl-C reaches all of a terminal's group.
    return { ...client, cancel: () => process.kill(-client.pid, "SIGINT") };
  },
};
