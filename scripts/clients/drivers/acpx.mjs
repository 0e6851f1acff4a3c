/** acpx, a client of ACP, with an agent of ours. Its commands run on the engine, or in acpx's own terminals. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startChild } from "../child.mjs";

const AGENT = fileURLToPath(new URL("../programs/acp-agent.mjs", import.meta.url));

/**
 * @param {string} id
 * @param {Partial<import("../rounds.mjs").Driver>} more what is not as with the engine
 * @param {string[]} options of acpx
 * @returns {import("../rounds.mjs").Driver}
 */
function driver(id, more, options) {
  return {
    id,
    way: "`adapters/acp`",
    isHost: false,
    goesOn: false,
    toolName: (name) => name,
    cannot: {},
    start: async ({ place, folder, bin, url }) => {
      const program = join(folder, "node_modules", "acpx", "dist", "cli.js");
      const mark = Object.entries(place.engine.env).map(([name, value]) => `${name}=${value}`);
      const agent = ["env", ...mark, join(bin, "node"), AGENT, url].join(" ");
      const own = [program, "--agent", agent, "--approve-all", "--cwd", place.project, ...options];
      return startChild(join(bin, "node"), [...own, "exec", "Begin."], { cwd: place.project, env: place.env });
    },
    ...more,
  };
}

export const acpx = driver("acpx", {}, ["--no-terminal"]);
export const acpxTerminals = driver(
  "acpx-terminals",
  {
    cannot: {
      huge: "the client keeps the output, and what it has dropped has no address",
      state: "each terminal of a client is a shell of its own",
    },
  },
  [],
);
