/**
 * Far places on this machine, started by `scripts/lab/`: an sshd, a container, a Slurm of one node. Each has a folder of its
 * own, listens on the loopback only, and is ended by the ids that it wrote down. What is run over there is the test's.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { within } from "./patience.ts";

/** Which labs there are. */
export type LabName = "sshd" | "podman" | "slurm";

/** What each lab's script calls. */
const PROGRAMS: Readonly<Record<LabName, readonly string[]>> = {
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

const scripts = fileURLToPath(new URL("../../scripts/lab", import.meta.url));

/** Why this machine cannot have the lab; `undefined` when it can. */
export function absenceOfLab(name: LabName): string | undefined {
  if (process.platform !== "linux") return "no Linux";
  const missing = PROGRAMS[name].filter((program) => !hasProgram(program));
  if (missing.length > 0) return `not installed: ${missing.join(", ")}`;
  // Without root, a container needs ranges of ids and a delegated control group, which tests cannot set up.
  if (name === "podman" && process.getuid?.() !== 0) return "only root makes the container";
  return undefined;
}

/** A lab that runs. */
export interface Lab {
  /** A folder of its own, removed with it. */
  readonly folder: string;
  /** What its script says of it: `LAB_…` and the variables that its programs read. */
  readonly variables: Readonly<Record<string, string>>;
  /** The environment to call its programs with. */
  readonly env: Readonly<Record<string, string>>;
  /** Words that run a program over there, without a terminal and with standard input. */
  readonly argv: readonly string[];
  /** Ends everything that it started. */
  stop(): Promise<void>;
}

/** Starts a lab. It must be stopped, in `afterAll`. */
export async function startLab(name: LabName): Promise<Lab> {
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

function started(name: LabName, folder: string): Lab {
  const variables = variablesOf(name, folder);
  const env = { ...strings(process.env), ...variables, PATH: searchPath() };
  const argv = argvOf(name, variables);
  const stop = async (): Promise<void> => {
    const { status, output } = await runScript(name, folder, "stop", STOP_MS);
    rmSync(folder, { recursive: true, force: true });
    if (status !== 0) throw new Error(`the lab ${name} does not end: ${output}`);
  };
  return { folder, variables, env, argv, stop };
}

/** The words of the lab's own variable; none of them has blanks or quotes in it. */
function argvOf(name: LabName, variables: Readonly<Record<string, string>>): string[] {
  if (name === "slurm") return ["srun"];
  const words = (name === "sshd" ? variables["LAB_SSH"] : variables["LAB_EXEC"]) ?? "";
  return words.split(" ");
}

/** The variables that `eval "$(script env)"` sets. */
function variablesOf(name: LabName, folder: string): Record<string, string> {
  const script = join(scripts, `${name}.sh`);
  const read = `set -a; eval "$(bash "$1" env)" || exit; env -0`;
  const { stdout, status } = spawnSync("bash", ["-c", read, "bash", script], {
    env: { PATH: searchPath(), LAB: folder },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the lab ${name} does not say what it is`);
  const entries = stdout
    .split("\0")
    .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
  const own = /^(?:LAB_|CONTAINERS_|SLURM_)/;
  return Object.fromEntries(entries.filter(([key]) => own.test(key ?? "")));
}

async function runScript(
  name: LabName,
  folder: string,
  verb: "start" | "stop",
  ms: number,
): Promise<{ status: number; output: string }> {
  // Daemons keep the streams that they were given, so that the end of a stream says nothing: its own end does.
  const child = spawn("bash", [join(scripts, `${name}.sh`), verb], {
    env: { ...strings(process.env), PATH: searchPath(), LAB: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-4_096);
    });
  }
  try {
    const [status] = (await within(`the lab ${name} to ${verb}`, once(child, "exit"), ms)) as [number | null];
    return { status: status ?? 1, output };
  } catch (error) {
    child.kill("SIGKILL");
    return { status: 1, output: `${output}${String(error)}` };
  } finally {
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function hasProgram(program: string): boolean {
  return spawnSync("sh", ["-c", 'command -v "$1"', "sh", program], { env: { PATH: searchPath() } }).status === 0;
}

function searchPath(): string {
  return `${process.env["PATH"] ?? "/usr/bin:/bin"}:${DAEMON_FOLDERS}`;
}

function strings(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
