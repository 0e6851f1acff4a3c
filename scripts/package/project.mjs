/**
 * An empty project with our packages in it: how they get there from tarballs, and how their programs are started.
 */
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runNpm, runStep } from "./run-step.mjs";
import { ownTarget } from "./targets.mjs";

/**
 * Installs tarballs into an empty project as a machine of the target would, with `more` words for npm. Returns the folder
 * of our packages.
 */
export function installTarballs(project, tarballs, target, more = []) {
  writeFileSync(join(project, "package.json"), '{"name":"empty","version":"1.0.0","private":true,"type":"module"}\n');
  const own = ownTarget() === target;
  const libc = target.libc ? [`--libc=${target.libc}`] : [];
  // `--force` for the tarball itself: npm would refuse one that is for another system.
  const foreign = own ? [] : ["--force", `--os=${target.os}`, `--cpu=${target.cpu}`, ...libc];
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  runNpm(["install", ...quiet, ...foreign, ...more, ...tarballs], project);
  return join(project, "node_modules", "@pi-bash");
}

/** The words that start `pi-bash` as npm installs it. What npm makes on Windows is a batch file around the same program. */
export function startOf(project) {
  if (process.platform !== "win32") return [join(project, "node_modules", ".bin", "pi-bash")];
  return [process.execPath, join(project, "node_modules", "@pi-bash", "cli", "bin", "pi-bash.mjs")];
}

/** Runs the tour with the words that start `pi-bash`; returns its count of claims, all of which held. */
export function runTour([command, ...words], project, options = {}) {
  const claims = /^(\d+) of \1 claims held$/m.exec(runStep(command, [...words, "tour"], project, options));
  if (!claims) throw new Error("the tour did not say that its claims held");
  return claims[0];
}

/**
 * Runs the tour where the doctor says that sessions are kept; elsewhere the tour has to refuse, and to name the doctor.
 * Returns what was seen.
 *
 * @param {string} doctor what the doctor printed in this project
 */
export function tryTour(start, project, doctor) {
  if (/^ok +persistent session\b/m.test(doctor)) return `tour: ${runTour(start, project)}`;
  let refusal = "it ran";
  try {
    runTour(start, project);
  } catch (error) {
    refusal = String(error);
  }
  if (!refusal.includes("the tour needs a persistent session; `pi-bash doctor` says what is missing"))
    throw new Error(`the doctor knows of no session that is kept, and the tour: ${refusal}`);
  return "tour: refused, no session is kept";
}

/** Runs an agent author's program in the project, with the words that start Node. */
export function runEmbedded([command, ...words], project, options = {}) {
  copyFileSync(fileURLToPath(new URL("embed.mjs", import.meta.url)), join(project, "embed.mjs"));
  runStep(command, [...words, "embed.mjs"], project, options);
}
