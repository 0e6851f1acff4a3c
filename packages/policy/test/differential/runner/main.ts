/**
 * Runs lines inside the fixture: reads a case a line from its standard input and prints what each one did.
 *
 * It is bundled to plain JavaScript and is the first program of a bubblewrap sandbox. The tree is made again after a line
 * that changed it; after any other effect the runner ends, and the harness starts a fresh sandbox for the rest.
 */
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { type Case, GLOB_FOLDER, type Observation, READY, VICTIM, WORKSPACE } from "../case.ts";
import { sessionChanges } from "./session.ts";
import { SHOWN, Traps } from "./traps.ts";
import { Tree } from "./tree.ts";

/** Longest time of a line, in milliseconds. */
const LINE_MS = Number(process.env["LINE_MS"] ?? 1_500);
/** Longest wait for what a line left in the background, in milliseconds. */
const LEFT_MS = 200;

/** Runs the line as a session does, then writes the session's state down. */
const DRIVER = `
ulimit -f 4096 -c 0
HOLD_line=$1; set -- "$ONE" "$TWO"; unset ONE TWO
eval "$HOLD_line"
{ unset HOLD_line; declare -p; declare -F; alias; trap -p; shopt -p; set +o; umask; enable; } > /state/after 2>&1
`;

/** A variable or input that names what may not be shown. */
const HIDDEN = /\/proc|environ/;

const BASE: Readonly<Record<string, string>> = {
  PATH: "/opt/decoys:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
  HOME: "/home/me",
  USER: "me",
  LANG: "C.UTF-8",
  TZ: "UTC",
  XDG_RUNTIME_DIR: "/run/user/0",
};

const hardening = JSON.parse(process.env["GIT_HARDENING"] ?? "{}") as Record<string, string>;
const tree = new Tree();
const traps = new Traps();

async function main(): Promise<void> {
  mkdirSync("/state", { recursive: true });
  await traps.set();
  tree.layOut();
  await observe({ line: ":" });
  sessionChanges(readFileSync("/state/after", "utf8"));
  process.stdout.write(`${READY}\n`);
  for await (const text of createInterface({ input: process.stdin })) {
    const seen = await observe(JSON.parse(text) as Case);
    process.stdout.write(`${JSON.stringify(seen)}\n`);
    if (seen.effects.some((effect) => !/^(?:created|changed|removed) `|^session:/.test(effect))) process.exit(0);
    if (seen.effects.length > 0) tree.layOut();
  }
  process.exit(0);
}

async function observe(given: Case): Promise<Observation> {
  const line = given.line.replaceAll(VICTIM, String(traps.victimPid));
  if (given.files !== undefined) placeFiles(given.files);
  const { status, timedOut } = await run(line, given);
  const left = await waitForLeft(line);
  if (timedOut) left.length = 0;
  const output = `${readTail("/state/out")}${readTail("/state/err")}`;
  const effects = [...tree.differences(), ...(await traps.effects(line, output)), ...left];
  // Words that the text does not show may name any file.
  const isHidden = HIDDEN.test(JSON.stringify([given.env, given.stdin, given.files]));
  if (isHidden) effects.splice(0, effects.length, ...effects.filter((effect) => effect !== SHOWN));
  const after = timedOut ? "" : readTail("/state/after");
  if (after !== "")
    effects.push(...sessionChanges(after, Object.keys(given.env ?? {})).map((change) => `session: ${change}`));
  if (given.files !== undefined) placeFiles([]);
  return { effects, timedOut, status, output: output.slice(-400) };
}

function placeFiles(names: readonly string[]): void {
  rmSync(GLOB_FOLDER, { recursive: true, force: true });
  mkdirSync(GLOB_FOLDER);
  for (const name of names) writeFileSync(`${GLOB_FOLDER}/${name}`, "one\ntwo\n");
  tree.remember();
}

function run(line: string, given: Case): Promise<{ status: number | null; timedOut: boolean }> {
  rmSync("/state/after", { force: true });
  writeFileSync("/state/in", given.stdin?.replaceAll(VICTIM, String(traps.victimPid)) ?? "");
  const files = [
    openSync(given.stdin === undefined ? "/dev/null" : "/state/in", "r"),
    openSync("/state/out", "w"),
    openSync("/state/err", "w"),
  ];
  const child = spawn("bash", ["--noprofile", "--norc", "-c", DRIVER, "bash", line], {
    cwd: given.cwd ?? (given.files === undefined ? WORKSPACE : GLOB_FOLDER),
    env: { ...BASE, ...hardening, ONE: "-o", TWO: "pwned", ...given.env },
    stdio: files,
    detached: true,
  });
  for (const file of files) closeSync(file);
  return new Promise((resolve) => {
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      killGroup(child.pid ?? 0);
    }, LINE_MS);
    child.on("error", () => resolve({ status: null, timedOut: false }));
    child.on("exit", (status) => {
      clearTimeout(timer);
      if (timedOut) killGroup(child.pid ?? 0);
      resolve({ status, timedOut });
    });
  });
}

/** Ends what the line left behind; that is an effect unless the line says that it leaves something. */
async function waitForLeft(line: string): Promise<string[]> {
  const deadline = Date.now() + LEFT_MS;
  let left = traps.strangers();
  while (left.length > 0 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    left = traps.strangers();
  }
  const names = left.map((pid) => readTail(`/proc/${pid}/comm`).trim());
  for (const pid of left) killOne(pid);
  return left.length === 0 || /&|setsid|<\(|>\(|\|/.test(line) ? [] : [`left running: ${names.join(" ")}`];
}

function killGroup(pid: number): void {
  killOne(-pid);
}

function killOne(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Already gone.
  }
}

function readTail(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

await main();
