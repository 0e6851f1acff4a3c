/** pi by its RPC mode, with the tools of `@pi-bash/adapters/pi` in place of its own; the model speaks Chat Completions. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startChild } from "../child.mjs";
import { DUMMY_KEY } from "../place.mjs";

const EXTENSION = fileURLToPath(new URL("../programs/pi-extension.mjs", import.meta.url));

/** @type {import("../rounds.mjs").Driver} */
export const pi = {
  id: "pi",
  way: "`adapters/pi`",
  isHost: true,
  goesOn: true,
  toolName: (name) => name,
  cannot: {},
  start: async ({ place, folder, bin, url }) => {
    const home = join(place.home, ".pi", "agent");
    mkdirSync(home, { recursive: true });
    const provider = {
      baseUrl: `${url}/v1`,
      api: "openai-completions",
      apiKey: DUMMY_KEY,
      models: [{ id: "scripted" }],
    };
    writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { scripted: provider } }));
    const program = join(folder, "node_modules", "@earendil-works", "pi-coding-agent", "dist", "cli.js");
    const choice = ["--provider", "scripted", "--model", "scripted", "--no-builtin-tools", "--extension", EXTENSION];
    const client = startChild(join(bin, "node"), [program, "--mode", "rpc", "--offline", "--no-session", ...choice], {
      cwd: place.project,
      env: { ...place.env, ...place.engine.env },
      input: "pipe",
    });
    const tell = (message) => client.child.stdin.write(`${JSON.stringify(message)}\n`);
    let isCancelled = false;
    client.lines((line) => {
      if (!line.includes('"agent_settled"')) return;
      if (isCancelled) tell({ type: "prompt", message: "Go on." });
      else client.child.stdin.end();
      isCancelled = false;
    });
    tell({ type: "prompt", message: "Begin." });
    const cancel = () => {
      isCancelled = true;
      tell({ type: "abort" });
    };
    return { ...client, cancel };
  },
};
