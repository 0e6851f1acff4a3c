/**
 * Starts throw-away sandboxes and has them run cases.
 *
 * bubblewrap gives namespaces of their own for processes, network, names and users; what is writable is a tmpfs. Inside,
 * lines run as root of that user namespace, so that what they try takes effect where it can; outside, nothing is
 * root's: a test that runs as root starts bubblewrap as `nobody`.
 */
import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { GIT_HARDENING } from "../../src/git-hardening.ts";
import { type Case, type Observation, READY } from "./case.ts";
import { makeTemplate } from "./template.ts";

/** Who starts sandboxes for root. */
export const NOBODY = 65_534;
const unprivileged = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
/** A sandbox that says nothing for so long is taken for killed, in milliseconds. */
const SILENCE_MS = 20_000;

const NAMESPACES = [
  "--unshare-all",
  "--uid",
  "0",
  "--gid",
  "0",
  "--cap-add",
  "ALL",
  "--die-with-parent",
  "--new-session",
  "--clearenv",
];
const SYSTEM = [
  "--tmpfs",
  "/",
  "--ro-bind",
  "/usr",
  "/usr",
  "--symlink",
  "usr/bin",
  "/bin",
  "--symlink",
  "usr/sbin",
  "/sbin",
  "--symlink",
  "usr/lib",
  "/lib",
  "--symlink",
  "usr/lib64",
  "/lib64",
  "--ro-bind-try",
  "/etc/alternatives",
  "/etc/alternatives",
  "--proc",
  "/proc",
  "--dev",
  "/dev",
  "--tmpfs",
  "/tmp",
];

/** Why no sandbox can be had here; undefined where one can. */
export function whyNoSandbox(): string | undefined {
  if (process.platform !== "linux") return "bubblewrap is a program of Linux";
  const tried = spawnSync("bwrap", [...NAMESPACES, ...SYSTEM, "/usr/bin/true"], { encoding: "utf8", ...unprivileged });
  if (tried.error !== undefined) return "bubblewrap is not installed";
  return tried.status === 0 ? undefined : "this machine gives no user namespaces";
}

/** A place from which sandboxes are started. */
export interface Fixture {
  /** Runs cases in order, in as many sandboxes as that takes. */
  run(cases: readonly Case[]): Promise<Observation[]>;
}

/** A program that runs cases in the fixture. */
export interface RunnerProgram {
  /** Its source. */
  readonly source: string;
  /** What the bundle takes for the URL of each of its files. Default: nothing in it asks. */
  readonly url?: string;
  /** Files and folders that it has use for: where they are, and where it finds them. Default: none. */
  readonly mounts?: readonly (readonly [string, string])[];
  /** Variables that it begins with. Default: none of its own. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a bash for each case. */
const PLAIN: RunnerProgram = { source: fileURLToPath(new URL("runner/main.ts", import.meta.url)) };

/** Prepares the runner and the template in `folder`, which other users must be able to read. */
export function prepareFixture(folder: string, runner: RunnerProgram = PLAIN): Fixture {
  const template = join(folder, "template");
  mkdirSync(template, { recursive: true });
  const decoys = join(folder, "decoys");
  makeTemplate(template, decoys);
  const program = join(folder, "runner.mjs");
  buildSync({
    entryPoints: [runner.source],
    outfile: program,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["pi-source"],
    define: runner.url === undefined ? {} : { "import.meta.url": JSON.stringify(runner.url) },
  });
  spawnSync("chmod", ["-R", "a+rX", folder]);
  const mounts = [
    [template, "/template"],
    [decoys, "/opt/decoys"],
    [program, "/runner.mjs"],
    [process.execPath, "/node"],
    ...(runner.mounts ?? []),
  ].flatMap(([from = "", to = ""]) => ["--ro-bind", from, to]);
  const variables = Object.entries(runner.env ?? {}).flatMap(([name, value]) => ["--setenv", name, value]);
  return { run: (cases) => runAll(cases, [...mounts, ...variables]) };
}

async function runAll(cases: readonly Case[], more: readonly string[]): Promise<Observation[]> {
  const seen: Observation[] = [];
  while (seen.length < cases.length) {
    const before = seen.length;
    const trouble = await runSome(cases.slice(before), more, (each) => seen.push(each));
    if (seen.length === cases.length) break;
    if (trouble === undefined) continue; // It ended after an effect, as it does.
    if (!trouble.started) throw new Error(`the sandbox did not start: ${trouble.errors}`);
    // Whatever the next case did, it ended the runner.
    seen.push({ effects: [`ended the sandbox: ${trouble.errors}`], timedOut: false, status: null, output: "" });
  }
  return seen;
}

/** Feeds one sandbox; returns why it ended, or nothing when it ended by itself. */
async function runSome(
  cases: readonly Case[],
  more: readonly string[],
  take: (seen: Observation) => void,
): Promise<{ readonly started: boolean; readonly errors: string } | undefined> {
  const args = [
    ...NAMESPACES,
    ...SYSTEM,
    ...more,
    "--setenv",
    "PATH",
    "/usr/bin:/usr/sbin:/bin:/sbin",
    "--setenv",
    "GIT_HARDENING",
    JSON.stringify(GIT_HARDENING),
    "/node",
    "/runner.mjs",
  ];
  const child = spawn("bwrap", args, { stdio: ["pipe", "pipe", "pipe"], ...unprivileged }) as ChildProcessByStdio<
    Writable,
    Readable,
    Readable
  >;
  child.stdin.on("error", () => undefined);
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let count = 0;
  let started = false;
  const feed = () => {
    // The runner reads one at a time; a few wait in the pipe.
    const next = cases[count + AHEAD - 1];
    if (next !== undefined) child.stdin.write(`${JSON.stringify(next)}\n`);
  };
  for (const each of cases.slice(0, AHEAD)) child.stdin.write(`${JSON.stringify(each)}\n`);
  let silence = setTimeout(() => child.kill("SIGKILL"), SILENCE_MS);
  for await (const text of createInterface({ input: child.stdout })) {
    clearTimeout(silence);
    silence = setTimeout(() => child.kill("SIGKILL"), SILENCE_MS);
    if (text === READY) {
      started = true;
      continue;
    }
    take(JSON.parse(text) as Observation);
    count++;
    feed();
    if (count === cases.length) child.stdin.end();
  }
  clearTimeout(silence);
  const status = await ended;
  return status === 0 ? undefined : { started, errors: errors.slice(-500) || `status ${status}` };
}

/** Cases that wait in the pipe of a sandbox. */
const AHEAD = 8;
