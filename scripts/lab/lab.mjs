/**
 * Far places on this machine: an sshd, a container, a Slurm of one node, each made by the script of its name in this folder.
 * Each has a folder of its own, listens on the loopback only, and is ended by the ids that it wrote down.
 *
 * Tests and `npm run bench -- --places` import it. For a person at a terminal, `npm run lab -- sshd` starts one, says how to
 * call it, and ends it at the end of its input.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** What each lab's script calls. */
const PROGRAMS = {
  sshd: ["sshd", "ssh", "ssh-keygen"],
  podman: ["podman", "runc", "conmon", "busybox"],
  slurm: ["munged", "slurmctld", "slurmd", "srun", "sinfo", "squeue", "scancel"],
};

/** Folders of daemons, which are not in everyone's `PATH`. */
const DAEMON_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin";

/** A Slurm needs a second for its node, a container's image some for its files; on a busy machine many times that. */
const START_MS = 90_000;
const STOP_MS = 60_000;
/** Two labs that start at once may choose the same free port; the loser tries again. */
const TRIES = 3;

const scripts = fileURLToPath(new URL(".", import.meta.url));

/** @typedef {keyof typeof PROGRAMS} LabName */

/**
 * @typedef {object} Lab a lab that runs
 * @property {string} folder a folder of its own, removed with it
 * @property {Record<string, string>} variables what its script says of it: `LAB_…` and the variables that its programs read
 * @property {Record<string, string>} env the environment to call its programs with
 * @property {string[]} argv words that run a program over there, without a terminal and with standard input
 * @property {() => Promise<void>} stop ends everything that it started
 */

/**
 * Why this machine cannot have the lab; `undefined` when it can.
 *
 * @param {LabName} name
 * @returns {string | undefined}
 */
export function absenceOfLab(name) {
  if (process.platform !== "linux") return "no Linux";
  const missing = PROGRAMS[name].filter((program) => !hasProgram(program));
  if (missing.length > 0) return `not installed: ${missing.join(", ")}`;
  // Without root, a container needs ranges of ids and a delegated control group, which tests cannot set up.
  if (name === "podman" && process.getuid?.() !== 0) return "only root makes the container";
  return undefined;
}

/**
 * Starts a lab. Its `stop` has to be called.
 *
 * @param {LabName} name
 * @returns {Promise<Lab>}
 */
export async function startLab(name) {
  for (let tries = 1; ; tries += 1) {
    // The path of a socket has at most 107 bytes, so the folder does not stand in a deep `TMPDIR`.
    const folder = mkdtempSync("/tmp/pi-lab-");
    const { status, output } = await runScript(name, folder, "start", START_MS);
    if (status === 0) return started(name, folder);
    await runScript(name, folder, "stop", STOP_MS);
    rmSync(folder, { recursive: true, force: true });
    if (tries === TRIES) throw new Error(`the lab ${name} does not start: ${output}`);
  }
}

/**
 * @param {LabName} name
 * @param {string} folder
 * @returns {Lab}
 */
function started(name, folder) {
  const variables = variablesOf(name, folder);
  const env = { ...ownEnvironment(), ...variables };
  const stop = async () => {
    const { status, output } = await runScript(name, folder, "stop", STOP_MS);
    rmSync(folder, { recursive: true, force: true });
    if (status !== 0) throw new Error(`the lab ${name} does not end: ${output}`);
  };
  return { folder, variables, env, argv: argvOf(name, variables), stop };
}

/**
 * The words of the lab's own variable; none of them has blanks or quotes in it.
 *
 * @param {LabName} name
 * @param {Record<string, string>} variables
 */
function argvOf(name, variables) {
  if (name === "slurm") return ["srun"];
  const words = (name === "sshd" ? variables["LAB_SSH"] : variables["LAB_EXEC"]) ?? "";
  return words.split(" ");
}

/**
 * The variables that `eval "$(script env)"` sets.
 *
 * @param {LabName} name
 * @param {string} folder
 * @returns {Record<string, string>}
 */
function variablesOf(name, folder) {
  const read = `set -a; eval "$(bash "$1" env)" || exit; env -0`;
  const { stdout, status } = spawnSync("bash", ["-c", read, "bash", join(scripts, `${name}.sh`)], {
    env: { PATH: searchPath(), LAB: folder },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the lab ${name} does not say what it is`);
  const entries = stdout
    .split("\0")
    .map((line) => /** @type {const} */ ([line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
  return Object.fromEntries(entries.filter(([key]) => /^(?:LAB_|CONTAINERS_|SLURM_)/.test(key)));
}

/**
 * @param {LabName} name
 * @param {string} folder
 * @param {"start" | "stop"} verb
 * @param {number} ms
 */
async function runScript(name, folder, verb, ms) {
  // Daemons keep the streams that they were given, so that the end of a stream says nothing: its own end does.
  const child = spawn("bash", [join(scripts, `${name}.sh`), verb], {
    env: { ...ownEnvironment(), LAB: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output = (output + text).slice(-4_096);
    });
  }
  const giveUp = new AbortController();
  try {
    const end = once(child, "exit").then(([status]) => status ?? 1);
    const bound = pause(ms, "late", { signal: giveUp.signal });
    const status = await Promise.race([end, bound]);
    if (status !== "late") return { status: Number(status), output };
    child.kill("SIGKILL");
    return { status: 1, output: `${output}not done after ${ms} ms` };
  } finally {
    giveUp.abort();
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** @param {string} program */
function hasProgram(program) {
  return spawnSync("sh", ["-c", 'command -v "$1"', "sh", program], { env: { PATH: searchPath() } }).status === 0;
}

function searchPath() {
  return `${process.env["PATH"] ?? "/usr/bin:/bin"}:${DAEMON_FOLDERS}`;
}

/** @returns {Record<string, string>} */
function ownEnvironment() {
  const own = Object.entries(process.env).flatMap(([key, value]) =>
    value === undefined ? [] : [/** @type {const} */ ([key, value])],
  );
  return { ...Object.fromEntries(own), PATH: searchPath() };
}

/** @param {string | undefined} name */
async function attend(name) {
  if (name === undefined || !Object.hasOwn(PROGRAMS, name)) {
    process.stderr.write(`usage: npm run lab -- ${Object.keys(PROGRAMS).join("|")}\n`);
    return 2;
  }
  const known = /** @type {LabName} */ (name);
  const absence = absenceOfLab(known);
  if (absence !== undefined) {
    process.stderr.write(`this machine cannot have the lab ${name}: ${absence}\n`);
    return 1;
  }
  const lab = await startLab(known);
  const settings = Object.entries(lab.variables).map(([key, value]) => `export ${key}='${value}'\n`);
  process.stdout.write(`${settings.join("")}${lab.argv.join(" ")} PROGRAM…\n`);
  process.stderr.write("It ends with the end of this input, or with Ctrl+C.\n");
  process.stdin.resume();
  await Promise.race([once(process.stdin, "end"), once(process, "SIGINT"), once(process, "SIGTERM")]);
  process.stdin.pause();
  await lab.stop();
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await attend(process.argv[2]);
