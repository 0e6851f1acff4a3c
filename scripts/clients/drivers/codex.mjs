/** Codex without its screen (`exec`); the model is a provider of its own, which speaks Responses. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChild } from "../child.mjs";
import { DUMMY_KEY } from "../place.mjs";

/** JSON's strings, lists and flat objects are TOML's, but for the colon. */
const inline = (object) =>
  `{ ${Object.entries(object)
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
    .join(", ")} }`;

const configuration = (url, { command, args, env }) => `model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"

[mcp_servers.engine]
command = ${JSON.stringify(command)}
args = ${JSON.stringify(args)}
env = ${inline(env)}
startup_timeout_sec = 60
required = true
`;

/** @type {import("../rounds.mjs").Driver} */
export const codex = {
  id: "codex",
  way: "MCP",
  isHost: false,
  goesOn: false,
  toolName: (name) => name,
  cannot: {},
  start: async ({ place, folder, url }) => {
    const home = join(place.home, ".codex");
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "config.toml"), configuration(url, place.engine));
    const vendor = join(folder, "node_modules", "@openai", `codex-linux-${process.arch}`, "vendor");
    const [target] = readdirSync(vendor);
    return startChild(join(vendor, target, "bin", "codex"), ["exec", "--skip-git-repo-check", "Begin."], {
      cwd: place.project,
      env: { ...place.env, CODEX_HOME: home, SCRIPTED_KEY: DUMMY_KEY },
    });
  },
};
