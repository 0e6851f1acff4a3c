/**
 * The actions of others that our workflows use, each by something that does the same on this machine.
 *
 * An action that is not in this table, or an input that its stand-in does not know, is an error.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { downloadArtifact, restoreCache, saveCache, uploadArtifact } from "./artifacts.mjs";
import { installNode } from "./machine.mjs";
import { git } from "./place.mjs";

/**
 * @typedef {object} Running what a stand-in is given
 * @property {import("./place.mjs").Place} place
 * @property {string} workspace
 * @property {Record<string, string>} env of the step
 * @property {Record<string, string>} permissions of the job
 * @property {(script: string) => Promise<void>} run runs a script as a step would
 * @property {(folder: string) => void} addPath
 * @property {(name: string, value: string) => void} setVariable for the steps that follow
 * @property {(task: () => string) => void} afterwards what is done when the job has succeeded
 */

function checkout({ "fetch-depth": depth = "1" }, { place, workspace }) {
  const shallow = String(depth) === "0" ? [] : [`--depth=${depth}`];
  git(["clone", "--quiet", ...shallow, "--branch=main", `file://${place.origin}`, workspace], { cwd: place.run });
  return { says: git(["rev-parse", "--short", "HEAD"], { cwd: workspace }) };
}

function setupNode({ "node-version": version, "registry-url": url }, { place, env, addPath, setVariable }) {
  addPath(installNode(place.cache, String(version)));
  if (url === undefined) return { says: `Node ${version}` };
  // The real one writes a file that names a variable, for the registry that publishes.
  const registry = env.npm_config_registry;
  const file = join(env.RUNNER_TEMP, ".npmrc");
  writeFileSync(file, `${registry.replace(/^http:/, "")}:_authToken=\${NODE_AUTH_TOKEN}\nregistry=${registry}\n`);
  setVariable("NPM_CONFIG_USERCONFIG", file);
  setVariable("NODE_AUTH_TOKEN", "XXXXX-XXXXX-XXXXX-XXXXX");
  return { says: `Node ${version}, ${registry} in place of ${url}` };
}

function cache(inputs, { place, workspace, afterwards }) {
  const found = restoreCache(place.caches, inputs, workspace);
  if (found !== inputs.key)
    afterwards(() =>
      saveCache(place.caches, inputs, workspace) ? `saved the cache ${inputs.key}` : "nothing to save",
    );
  return { says: found ?? "no cache", outputs: { "cache-hit": String(found === inputs.key) } };
}

function restoreOnly(inputs, { place, workspace }) {
  const found = restoreCache(place.caches, inputs, workspace);
  return { says: found ?? "no cache", outputs: { "cache-hit": String(found === inputs.key) } };
}

/** The branch that the real action opens a pull request from. */
export const VERSION_BRANCH = "changeset-release/main";

/** With changesets: the version script, and what it has changed on a branch. Without: nothing but the word that there are none. */
async function changesets({ version }, { place, workspace, env, permissions, run }) {
  if (permissions.contents !== "write" || permissions["pull-requests"] !== "write")
    throw new Error("the job has no right to write contents and pull requests");
  if (!env.GITHUB_TOKEN) throw new Error("the action wants `GITHUB_TOKEN` in its environment");
  const waiting = readdirSync(join(workspace, ".changeset")).filter(
    (file) => /\.md$/.test(file) && file !== "README.md",
  );
  if (waiting.length === 0) return { says: "no changesets", outputs: { hasChangesets: "false" } };
  await run(version);
  git(["checkout", "--quiet", "-b", VERSION_BRANCH], { cwd: workspace });
  git(["add", "--all"], { cwd: workspace });
  git(["commit", "--quiet", "-m", "Version Packages"], { cwd: workspace });
  git(["push", "--quiet", "--force", place.origin, `HEAD:${VERSION_BRANCH}`], { cwd: workspace });
  return { says: `${waiting.length} changesets became a branch`, outputs: { hasChangesets: "true" } };
}

const named = (call) => (inputs, running) => ({ says: call(running.place.artifacts, inputs, running.workspace) });

/** By the name of the action without its version: what stands in for it, the inputs that are known, and what it does. */
export const STAND_INS = {
  "actions/checkout": { does: "a shallow clone of the files as they are", inputs: ["fetch-depth"], play: checkout },
  "actions/setup-node": {
    does: "Node of that version and its npm, from the npm registry",
    inputs: ["node-version", "registry-url"],
    play: setupNode,
  },
  "actions/setup-python": {
    does: "the Python of this machine",
    inputs: ["python-version"],
    play: () => ({ says: "this machine's" }),
  },
  "actions/cache": { does: "a folder by key", inputs: ["path", "key", "restore-keys"], play: cache },
  "actions/cache/restore": {
    does: "the same, only restored",
    inputs: ["path", "key", "restore-keys"],
    play: restoreOnly,
  },
  "actions/upload-artifact": {
    does: "a folder by name; modes are lost, as in the real archive",
    inputs: ["name", "path", "if-no-files-found"],
    play: named(uploadArtifact),
  },
  "actions/download-artifact": {
    does: "from that folder",
    inputs: ["name", "pattern", "path"],
    play: named(downloadArtifact),
  },
  "changesets/action": {
    does: "the version script, and a branch in place of a pull request",
    inputs: ["version"],
    play: changesets,
  },
  "EmbarkStudios/cargo-deny-action": {
    does: "nothing: it is a container with an advisory database from GitHub",
    inputs: [],
    notPlayed: "needs a docker daemon; test/checks/crate-licences.test.ts reads the licences",
  },
};

/** The stand-in of a step's `uses:`. @throws Error where there is none */
export function standInOf(uses, inputs) {
  const name = uses.replace(/@.*$/, "");
  const standIn = STAND_INS[name];
  if (standIn === undefined) throw new Error(`the rehearsal has no stand-in for \`${uses}\``);
  const unknown = Object.keys(inputs).filter((input) => !standIn.inputs.includes(input));
  if (unknown.length > 0) throw new Error(`the stand-in for \`${name}\` does not know the input \`${unknown[0]}\``);
  return { name, ...standIn };
}
