/** opencode without its screen (`run`); the model is a provider of its own, which speaks Chat Completions. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChild } from "../child.mjs";
import { DUMMY_KEY } from "../place.mjs";

/** @type {import("../rounds.mjs").Driver} */
export const opencode = {
  id: "opencode",
  way: "MCP",
  isHost: false,
  goesOn: false,
  toolName: (name) => `engine_${name}`,
  cannot: {},
  start: async ({ place, folder, url }) => {
    const { command, args, env: environment } = place.engine;
    const configuration = {
      model: "scripted/scripted",
      small_model: "scripted/scripted",
      provider: {
        scripted: {
          npm: "@ai-sdk/openai-compatible",
          name: "scripted",
          options: { baseURL: `${url}/v1`, apiKey: DUMMY_KEY },
          models: { scripted: { name: "scripted" } },
        },
      },
      mcp: { engine: { type: "local", command: [command, ...args], environment, enabled: true } },
      permission: "allow",
      autoupdate: false,
      share: "disabled",
    };
    const path = join(place.folder, "opencode.json");
    writeFileSync(path, JSON.stringify(configuration));
    const program = join(folder, "node_modules", `opencode-linux-${process.arch}`, "bin", "opencode");
    return startChild(program, ["run", "Begin."], {
      cwd: place.project,
      env: {
        ...place.env,
        OPENCODE_CONFIG: path,
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      },
    });
  },
};
