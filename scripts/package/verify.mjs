/**
 * Proves that what was packed works where nothing else is: in an empty folder, from the tarballs alone, without
 * install scripts.
 *
 * Nothing here looks into the checkout: a file that was forgotten in a tarball has to be missed.
 */
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { verifyImportTime } from "./import-time.mjs";
import { inspectMcp } from "./inspect.mjs";
import { installTarballs, runEmbedded, startOf, tryTour } from "./project.mjs";
import { runStep } from "./run-step.mjs";
import { addonOf, packageOf, supervisorOf } from "./targets.mjs";
import { verifyDriven, verifyWithoutDriver } from "./verify-driven.mjs";
import { verifyPlaces } from "./verify-place.mjs";
import { verifyTypes } from "./verify-types.mjs";

/** Most bytes of the prebuilt package of one target, unpacked. */
export const MAX_TARGET_BYTES = 10_000_000;

/** Most bytes of the whole `node_modules` of a project that has all of our packages and nothing else. */
export const MAX_INSTALL_BYTES = 21_000_000;

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0);
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;

/** What the two binaries of a staged target must be; returns a line for the report. */
export function verifyTarget(folder, target) {
  const bytes = sizeOf(folder);
  if (bytes > MAX_TARGET_BYTES)
    throw new Error(`${packageOf(target)} has ${megabytes(bytes)}, more than ${megabytes(MAX_TARGET_BYTES)}`);
  if (target.os !== "win32" && (statSync(join(folder, supervisorOf(target))).mode & 0o111) === 0) {
    throw new Error(`${supervisorOf(target)} of ${target.name} has no run bit`);
  }
  return `${packageOf(target)}: ${megabytes(bytes)}`;
}

/** Checks the manifests and types of the tarballs with publint and attw. */
export function verifyManifests(root, packed) {
  const publint = join(root, "node_modules", "publint", "src", "cli.js");
  const attw = join(root, "node_modules", "@arethetypeswrong", "cli", "dist", "index.js");
  for (const { folder, tarball, typed } of packed) {
    runStep(process.execPath, [publint, folder, "--strict", "--pack", "false"], root);
    if (typed) runStep(process.execPath, [attw, tarball, "--profile", "esm-only", "--no-color"], root);
  }
}

/**
 * Installs the tarballs into an empty project and uses them as their users would. Returns lines for
 * the report, and what was tried in a few words.
 */
export function verifyInstall(tarballs, target) {
  const project = mkdtempSync(join(tmpdir(), "pi-bash-package-"));
  try {
    const ours = installTarballs(project, tarballs, target);
    const bytes = sizeOf(ours);
    const whole = sizeOf(join(project, "node_modules"));
    if (whole > MAX_INSTALL_BYTES)
      throw new Error(`an install has ${megabytes(whole)}, more than ${megabytes(MAX_INSTALL_BYTES)}`);
    statSync(join(ours, `natives-${target.name}`, addonOf(target)));

    const installed = `install of the tarballs alone, without scripts: ${megabytes(whole)}, of which ${megabytes(bytes)} are ours`;
    const bin = startOf(project);
    const doctor = runStep(bin[0], [...bin.slice(1), "doctor"], project);
    if (!doctor.includes(`natives-${target.name}`)) throw new Error(`the doctor found another addon:\n${doctor}`);
    if (target.os === "win32") {
      const { checks } = runSmoke([process.execPath], project);
      const lines = [
        installed,
        ...verifyPlaces(project, tarballs),
        `${checks} checks of smoke.mjs: ok`,
        verifyImportTime(project),
        verifyTypes(project),
      ];
      return { lines, tests: `doctor; ${checks} checks of \`smoke.mjs\`` };
    }
    const driven = target.os === "linux" ? [verifyDriven(project, doctor, target)] : [];
    const toured = tryTour(bin, project, doctor);
    runEmbedded([process.execPath], project);
    runReadme(project);
    const lines = [
      installed,
      ...driven,
      ...verifyPlaces(project, tarballs),
      `from the packages, ${toured}`,
      "the tool embedded in a program of its own, and as README.md has it: ok",
      inspectMcp(project),
      verifyImportTime(project),
      verifyTypes(project),
      verifyWithoutDriver(tarballs, target),
    ];
    return { lines, tests: `doctor; ${toured}; embedded tool` };
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

/** Runs `smoke.mjs`, which asks nothing of the system but Node; returns the report that it ends with. */
function runSmoke([command, ...words], project) {
  copyFileSync(fileURLToPath(new URL("smoke.mjs", import.meta.url)), join(project, "smoke.mjs"));
  const line = /^smoke: (.*?)\r?$/m.exec(runStep(command, [...words, "smoke.mjs"], project))?.[1];
  if (line === undefined) throw new Error("`smoke.mjs` did not come to its end");
  return JSON.parse(line);
}

/** The program that README.md shows first, and what it prints in a folder that has it as `readme.mjs`. */
export function readmeProgram() {
  const readme = readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8");
  const program = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  return { program, printed: /^readme\.mjs$[\s\S]*exit status 0$/m };
}

/** Runs it, word for word: what a newcomer pastes has to work. */
function runReadme(project) {
  const { program, printed } = readmeProgram();
  writeFileSync(join(project, "readme.mjs"), program);
  const output = runStep(process.execPath, ["readme.mjs"], project);
  if (!printed.test(output)) throw new Error(`the program of README.md printed:\n${output}`);
}
