/**
 * Proves what an install is with the bash driver and without it: with it sessions use it, and the doctor says so; without it
 * each command begins with the state of the one before, and the doctor says what to install.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DRIVER_PACKAGE, driverFor, isDriverTarball, objectOf } from "./driver.mjs";
import { installTarballs, startOf, tryTour } from "./project.mjs";
import { runStep } from "./run-step.mjs";

/**
 * Runs `driven.mjs` in a project; returns what it found.
 * @param {"with" | "without" | "either"} expected
 */
function runDriven(project, expected) {
  copyFileSync(fileURLToPath(new URL("driven.mjs", import.meta.url)), join(project, "driven.mjs"));
  const output = runStep(process.execPath, ["driven.mjs", expected], project);
  const line = /^driven: (.*)$/m.exec(output)?.[1];
  if (line === undefined) throw new Error(`\`driven.mjs\` did not come to its end:\n${output}`);
  return JSON.parse(line);
}

/** The doctor's line on the driver. */
function doctorLine(doctor) {
  const line = /^.*\bbash driver\b.*$/m.exec(doctor)?.[0];
  if (line === undefined) throw new Error(`the doctor has no line on the bash driver:\n${doctor}`);
  return line;
}

/**
 * In a project with all packages. The bash of a glibc system has to take the driver; whether musl's does is found out and
 * reported.
 */
export function verifyDriven(project, doctor, target) {
  const path = join(project, "node_modules", ...DRIVER_PACKAGE.split("/"), objectOf(driverFor(target)));
  if (!existsSync(path)) throw new Error(`the install has no \`${objectOf(driverFor(target))}\` of ${DRIVER_PACKAGE}`);
  const { state, path: used, reason } = runDriven(project, target.libc === "glibc" ? "with" : "either");
  const line = doctorLine(doctor);
  const isTold =
    state === "fits" ? /^ok\b/.test(line) && line.includes(objectOf(driverFor(target))) : /^limited\b/.test(line);
  if (!isTold) throw new Error(`the driver is \`${state}\` (${used}), and the doctor says:\n${line}`);
  return state === "fits"
    ? "the bash driver of the packages: used, and an exit leaves the shell alive"
    : `the bash driver of the packages: not used, ${reason}`;
}

/**
 * In a project of its own, by `npm install --omit=optional` with the prebuilt package asked for: how a person leaves out what
 * is optional and nothing else.
 */
export function verifyWithoutDriver(tarballs, target) {
  if (target.os !== "linux") return "without the bash driver: there is none for this system";
  const project = mkdtempSync(join(tmpdir(), "pi-bash-without-driver-"));
  try {
    const others = tarballs.filter((path) => !isDriverTarball(path));
    if (others.length === tarballs.length) throw new Error(`there is no tarball of ${DRIVER_PACKAGE} to leave out`);
    const ours = installTarballs(project, others, target, ["--omit=optional"]);
    if (existsSync(join(ours, "bash-driver"))) throw new Error(`\`--omit=optional\` leaves ${DRIVER_PACKAGE} in`);
    runDriven(project, "without");
    const [command, ...words] = startOf(project);
    const doctor = runStep(command, [...words, "doctor"], project);
    const line = doctorLine(doctor.replaceAll(/\n +/g, " "));
    if (!line.startsWith("limited") || !line.includes(`install \`${DRIVER_PACKAGE}\``))
      throw new Error(`without the driver the doctor says:\n${line}`);
    return `without the bash driver: commands begin with the state of the one before, the doctor names it; ${tryTour([command, ...words], project, doctor)}`;
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}
