/**
 * The MCP Inspector's command line, by a configuration file as README.md shows one. It has no model: each call is a client
 * and an engine of its own.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChild } from "../child.mjs";

const ALONE = "each call starts a client and an engine of its own";

/** @type {import("../rounds.mjs").Driver} */
export const inspector = {
  id: "inspector",
  way: "MCP",
  isDirect: true,
  isHost: false,
  goesOn: false,
  toolName: (name) => name,
  cannot: { parallel: ALONE, background: ALONE, state: ALONE },
  start: async ({ place, folder, bin }) => {
    const configuration = join(place.folder, "mcp.json");
    // An address in one call's result is read by the next one's engine.
    const args = [...place.engine.args, "--artifacts", join(place.folder, "artifacts")];
    writeFileSync(configuration, JSON.stringify({ mcpServers: { engine: { ...place.engine, args } } }));
    const launcher = join(folder, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    const begin = [launcher, "--cli", "--config", configuration, "--server", "engine", "--method"];
    // It looks for a keychain.
    const env = { ...place.env, MCP_INSPECTOR_SECRET_STORE: "memory" };
    let current;
    let written = "";
    const ask = async (...rest) => {
      current = startChild(join(bin, "node"), [...begin, ...rest], { cwd: place.project, env });
      const how = await current.ended;
      written += current.words();
      return { answer: parse(current.words()), how };
    };
    return {
      pid: undefined,
      ended: Promise.resolve("each call has ended"),
      words: () => written,
      cancel: () => current?.cancel(),
      release: () => current?.release(),
      close: () => undefined,
      list: async () => (await ask("tools/list")).answer.tools,
      call: async (calls) => {
        const [{ name, input }] = calls;
        const words = Object.entries(input).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`]);
        const { answer } = await ask("tools/call", "--tool-name", name, ...words);
        return answer === undefined ? undefined : [textOf(answer)];
      },
    };
  },
};

/** The answer among what it writes: an object on lines of its own; one in a single line is the inspector's remark. */
function parse(words) {
  const found = /^\{\n[\s\S]*?^\}$/m.exec(words);
  return found === null ? undefined : JSON.parse(found[0]);
}

const textOf = ({ content }) => content.map((part) => part.text ?? JSON.stringify(part)).join("\n");
