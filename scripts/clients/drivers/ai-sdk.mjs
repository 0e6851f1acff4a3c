/** The AI SDK, by an agent of ours on it; the versions use OpenAI's two formats. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startChild } from "../child.mjs";

const PROGRAM = fileURLToPath(new URL("../programs/ai-sdk.mjs", import.meta.url));

/**
 * @param {string} id
 * @param {"chat" | "responses"} format
 * @returns {import("../rounds.mjs").Driver}
 */
function aiSdk(id, format) {
  return {
    id,
    way: "`adapters/ai-sdk`",
    isHost: true,
    goesOn: true,
    toolName: (name) => name,
    cannot: {},
    start: async ({ place, folder, bin, url }) =>
      startChild(join(bin, "node"), [PROGRAM, folder, url, format], {
        cwd: place.project,
        env: { ...place.env, ...place.engine.env },
      }),
  };
}

export const aiSdk6 = aiSdk("ai-sdk-6", "chat");
export const aiSdk7 = aiSdk("ai-sdk-7", "responses");
