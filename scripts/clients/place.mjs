/**
 * What a client finds around it: a home folder and a project that are empty, an environment that begins empty, and a network
 * that ends at this machine.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The program as it is built. */
const PROGRAM = join(ROOT, "packages", "cli", "bin", "pi-bash.mjs");
/** A port without a listener: what asks a proxy for another machine fails at once. */
const NO_NETWORK = "http://127.0.0.1:9";
/** What SDKs want for a key. */
export const DUMMY_KEY = "sk-ant-scripted-0000";

/**
 * @typedef {object} Place
 * @property {string} folder all of it
 * @property {string} home
 * @property {string} project where the client and the engine start
 * @property {string} clientMark a line in the environment of the client and of what it starts
 * @property {string} engineMark a line in the environment of the engine and of what it starts
 * @property {Record<string, string>} env of the client
 * @property {{ command: string, args: string[], env: Record<string, string> }} engine how a client of MCP starts it
 * @property {() => void} remove
 */

/**
 * @param {string} clientBin folder with Node for clients
 * @param {string} [parent] folder for it; a new one for temporary files unless given
 * @returns {Place}
 */
export function makePlace(clientBin, parent = mkdtempSync(join(tmpdir(), "pi-bash-clients-"))) {
  const home = join(parent, "home");
  const project = join(parent, "project");
  const temp = join(parent, "temp");
  for (const path of [home, project, temp]) mkdirSync(path, { recursive: true });
  const run = { client: randomUUID(), engine: randomUUID() };
  const env = {
    PATH: `${clientBin}${delimiter}${process.env.PATH}`,
    HOME: home,
    TMPDIR: temp,
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    CI: "1",
    HTTP_PROXY: NO_NETWORK,
    HTTPS_PROXY: NO_NETWORK,
    NO_PROXY: "127.0.0.1,localhost",
    CLIENT_RUN: run.client,
  };
  return {
    folder: parent,
    home,
    project,
    clientMark: `CLIENT_RUN=${run.client}`,
    engineMark: `ENGINE_RUN=${run.engine}`,
    env,
    engine: {
      command: process.execPath,
      // Clients that ask their person by elicitation have no one to ask here.
      args: [PROGRAM, "mcp", "--mode", "yolo"],
      env: { ENGINE_RUN: run.engine },
    },
    remove: () => rmSync(parent, { recursive: true, force: true, maxRetries: 3 }),
  };
}
