/**
 * Clients from their registries, each in a folder of its own that stays from run to run. Nothing of it is in the checkout.
 *
 * npm's programs that would run at an install are left out: what a client needs of them (the program for this system), its
 * driver finds by itself. Installs see this machine's environment, which says how the network is reached; clients do not.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { runNpm, runStep } from "../package/run-step.mjs";
import { installNode } from "../rehearse/machine.mjs";
import { CLIENT_NODE, VERSIONS } from "./versions.mjs";

/** Where clients are kept: `PI_BASH_CLIENTS_CACHE`, or a folder below the home folder. */
export const CACHE = process.env.PI_BASH_CLIENTS_CACHE || join(homedir(), ".cache", "pi-bash", "clients");
/** A large client from a slow registry. */
const INSTALL_LIMIT_MS = 900_000;

/** The folder with the programs `node` and `npm` for clients. */
export function installClientNode() {
  return installNode(CACHE, CLIENT_NODE);
}

/**
 * Installs a client, unless these versions are there.
 * @param {string} id of `VERSIONS`
 * @returns {string} its folder: with `node_modules`, or with `bin/python`
 * @throws where it cannot be installed, with what the installer said
 */
export function installClient(id) {
  const { from, packages } = VERSIONS[id];
  const folder = join(CACHE, id);
  const stamp = join(folder, "installed");
  const wanted = `${packages.join("\n")}\n`;
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  if (from === "npm") fromNpm(folder, packages);
  else fromPip(folder, packages);
  writeFileSync(stamp, wanted);
  return folder;
}

function fromNpm(folder, packages) {
  writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  runNpm(["install", ...quiet, ...packages], folder, { limitMs: INSTALL_LIMIT_MS });
}

function fromPip(folder, packages) {
  if (spawnSync("python3", ["--version"]).status !== 0) throw new Error("there is no python3");
  runStep("python3", ["-m", "venv", "."], folder);
  runStep(join(folder, "bin", "pip"), ["install", "--quiet", ...packages], folder, { limitMs: INSTALL_LIMIT_MS });
}
