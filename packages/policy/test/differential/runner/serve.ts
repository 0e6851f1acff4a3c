/**
 * Serves cases inside the fixture: reads one a line from its standard input, has it run, and prints what it did.
 *
 * How a line is run is the runner's: `main.ts` starts a bash for each. The tree is made again after a line that changed
 * it; after any other effect the runner ends, and the harness starts a fresh sandbox for the rest.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { type Case, GLOB_FOLDER, type Observation, READY, VICTIM, WORKSPACE } from "../case.ts";
import { sessionChanges } from "./session.ts";
import { SHOWN, Traps } from "./traps.ts";
import { Tree } from "./tree.ts";

/** Longest time of a line, in milliseconds. */
export const LINE_MS = Number(process.env["LINE_MS"] ?? 1_500);

/** Where a runner puts a line's input, its output and the session's state after it. */
export const STATE = { input: "/state/in", output: "/state/out", errors: "/state/err", after: "/state/after" } as const;

/** Shell text that writes down what a line may have changed in its session. */
export const WRITE_STATE = `{ declare -p; declare -F; alias; trap -p; shopt -p; set +o; umask; enable; } > ${STATE.after} 2>&1`;

/** The environment that a line is run with, beside its own. */
export const BASE: Readonly<Record<string, string>> = {
  PATH: "/opt/decoys:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
  HOME: "/home/me",
  USER: "me",
  LANG: "C.UTF-8",
  TZ: "UTC",
  XDG_RUNTIME_DIR: "/run/user/0",
  ...(JSON.parse(process.env["GIT_HARDENING"] ?? "{}") as Record<string, string>),
};

/** A line as a runner runs it. */
export interface Run {
  readonly line: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether `STATE.input` has something; else the input is `/dev/null`. */
  readonly hasInput: boolean;
}

/** How a run ended. */
export interface Ran {
  readonly status: number | null;
  readonly timedOut: boolean;
}

/** A way of running lines. */
export interface Runner {
  /** Runs the line; its output and the session's state are in the files of `STATE` afterwards. */
  run(line: Run): Promise<Ran>;
  /** Processes that the line left, by name, after they were ended. */
  left(line: string, traps: Traps): Promise<string[]>;
  /** Lines run where something is refused them: that they try it is no effect. Default false. */
  readonly isConfined?: boolean;
  /** Paths that the runner itself writes to. Default: none. */
  readonly own?: RegExp;
}

/** A variable or input that names what may not be shown. */
const HIDDEN = /\/proc|environ/;

/** Serves until the input ends. */
export async function serve(runner: Runner): Promise<never> {
  const tree = new Tree(runner.own);
  const traps = new Traps(runner.isConfined ?? false);
  const seen = (given: Case): Promise<Observation> => observe(given, runner, { tree, traps });
  mkdirSync("/state", { recursive: true });
  await traps.set();
  tree.layOut();
  await seen({ line: ":" });
  sessionChanges(readFileSync(STATE.after, "utf8"));
  tree.layOut();
  process.stdout.write(`${READY}\n`);
  for await (const text of createInterface({ input: process.stdin })) {
    const { effects, ...rest } = await seen(JSON.parse(text) as Case);
    process.stdout.write(`${JSON.stringify({ effects, ...rest })}\n`);
    if (effects.some((effect) => !/^(?:created|changed|removed) `|^session:/.test(effect))) process.exit(0);
    if (effects.length > 0) tree.layOut();
  }
  process.exit(0);
}

async function observe(
  given: Case,
  runner: Runner,
  { tree, traps }: { readonly tree: Tree; readonly traps: Traps },
): Promise<Observation> {
  const line = given.line.replaceAll(VICTIM, String(traps.victimPid));
  if (given.files !== undefined) placeFiles(given.files, tree);
  rmSync(STATE.after, { force: true });
  writeFileSync(STATE.input, given.stdin?.replaceAll(VICTIM, String(traps.victimPid)) ?? "");
  const { status, timedOut } = await runner.run({
    line,
    cwd: given.cwd ?? (given.files === undefined ? WORKSPACE : GLOB_FOLDER),
    env: given.env ?? {},
    hasInput: given.stdin !== undefined,
  });
  const left = await runner.left(line, traps);
  if (timedOut) left.length = 0;
  const output = `${readOrNothing(STATE.output)}${readOrNothing(STATE.errors)}`;
  const effects = [...tree.differences(), ...(await traps.effects(line, output)), ...left];
  // Words that the text does not show may name any file.
  const isHidden = HIDDEN.test(JSON.stringify([given.env, given.stdin, given.files]));
  if (isHidden && !traps.isConfined) effects.splice(0, effects.length, ...effects.filter((effect) => effect !== SHOWN));
  const after = timedOut ? "" : readOrNothing(STATE.after);
  if (after !== "")
    effects.push(...sessionChanges(after, Object.keys(given.env ?? {})).map((change) => `session: ${change}`));
  if (given.files !== undefined) placeFiles([], tree);
  return { effects, timedOut, status, output: output.slice(-400) };
}

function placeFiles(names: readonly string[], tree: Tree): void {
  rmSync(GLOB_FOLDER, { recursive: true, force: true });
  mkdirSync(GLOB_FOLDER);
  for (const name of names) writeFileSync(`${GLOB_FOLDER}/${name}`, "one\ntwo\n");
  tree.remember();
}

/** The text of a file; empty where there is none. */
export function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Ends a process, or a process group where the number is negative, that may be gone already. */
export function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Already gone.
  }
}
