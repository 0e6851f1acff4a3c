/**
 * Uses a target's packages where no machine of its kind is at hand: with that target's own Node, started as
 * `runners.mjs` says.
 *
 * What is reported is what was run. The bash and the programs of a tour are this machine's own: qemu translates one
 * program and not those that it starts, and musl's Node starts what is installed. So what is proved of a target is its
 * addon, its supervisor and its Node, with everything that is ours in between.
 */
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installTarballs, runEmbedded, runTour } from "./project.mjs";
import { runStep } from "./run-step.mjs";
import { runnerOf, whyNoRunner } from "./runners.mjs";
import { stageTarget } from "./stage.mjs";
import { supervisorOf } from "./targets.mjs";

/** A tour of seconds, under an emulator and on a busy machine. */
const TRY_LIMIT_MS = 900_000;

const firstLines = (error) =>
  (error instanceof Error ? error.message : String(error)).split("\n").slice(0, 3).join(" ").trim();

/** An executable of another architecture starts through its emulator: the kernel may have no handler for it. */
function wrapSupervisor(folder, target, before) {
  const path = join(folder, supervisorOf(target));
  renameSync(path, `${path}.real`);
  const words = [...before, `${path}.real`].map((word) => `'${word}'`).join(" ");
  writeFileSync(path, `#!/bin/sh\nexec ${words} "$@"\n`);
  chmodSync(path, 0o755);
}

/** Runs a program of `smoke.mjs` and returns the line that it ends with. */
function smoke(runner, target, project) {
  copyFileSync(fileURLToPath(new URL("smoke.mjs", import.meta.url)), join(project, "smoke.mjs"));
  const options = { env: runner.env, limitMs: TRY_LIMIT_MS };
  const [command, ...words] = runner.node;
  let output;
  if (target.os === "win32") {
    // Node cannot write to a pipe that wine was given, so a Windows shell puts its output into a file.
    const node = `Z:${words.at(-1).replaceAll("/", "\\")}`;
    runStep(command, ["cmd", "/c", `${node} smoke.mjs > smoke.txt 2>&1`], project, options);
    output = readFileSync(join(project, "smoke.txt"), "utf8");
  } else {
    output = runStep(command, [...words, "smoke.mjs"], project, options);
  }
  const line = /^smoke: (.*?)\r?$/m.exec(output)?.[1];
  if (line === undefined) throw new Error(`it did not come to its end: ${output.trim().slice(0, 600)}`);
  return JSON.parse(line);
}

/** Runs in a project with the packages installed; adds to what is known step by step, so that a failure keeps the rest. */
function tryIn(project, runner, target, tarballs, binaries, found) {
  const ours = installTarballs(project, tarballs, target);
  // Not from a tarball for a target that is only built to be tried; else the same files again.
  const folder = stageTarget(fileURLToPath(new URL("../..", import.meta.url)), ours, target, binaries);
  if (runner.before.length > 0 && target.os !== "win32") wrapSupervisor(folder, target, runner.before);
  const { node, target: seen, session, checks } = smoke(runner, target, project);
  if (seen !== target.name) throw new Error(`its Node took the addon of \`${seen}\``);
  found.loaded = `yes, Node ${node} (${runner.where})`;
  found.tests = `${checks} checks of \`smoke.mjs\``;
  if (session !== "persistent") return;
  const options = { env: runner.env, limitMs: TRY_LIMIT_MS };
  const cli = join(ours, "cli", "bin", "pi-bash.mjs");
  const claims = runTour([...runner.node, cli], project, options);
  found.tests = `${found.tests}; tour: ${claims}`;
  runEmbedded(runner.node, project, options);
  found.tests = `${found.tests}; embedded tool`;
}

/**
 * What is known of a target's packages after they were used.
 * @param {string[]} tarballs the packages that are the same for all targets
 * @param {string} binaries the folder with the target's two binaries
 * @returns {{ loaded: string, tests: string }} cells of the table of platforms
 */
export function emulate(root, target, tarballs, binaries) {
  const reason = whyNoRunner(target);
  if (reason !== undefined) return { loaded: `not tried: ${reason}`, tests: "no" };
  const found = { loaded: "no", tests: "no" };
  const project = mkdtempSync(join(tmpdir(), "pi-bash-emulated-"));
  try {
    tryIn(project, runnerOf(root, target), target, tarballs, binaries, found);
  } catch (error) {
    console.log(`${target.name}: ${error instanceof Error ? error.message : String(error)}`);
    if (found.loaded === "no") found.loaded = `failed: ${firstLines(error)}`;
    else found.tests = `${found.tests}; then failed: ${firstLines(error)}`;
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
  return found;
}
