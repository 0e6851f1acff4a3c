/**
 * A host whose model tries to change a world by calls of the bash tool that the person refuses, for tests that do so as
 * several users.
 *
 *   read-only-tool <empty folder of this user> [<n>: of those inside an interpreter make each n-th, by their names]
 *
 * Prints one line of JSON: what was different after each attempt, in several ways of making it.
 */
import { spawnSync } from "node:child_process";
import { singleQuoted } from "@pi-bash/command/internal";
import { allAttempts } from "../e2e/read-only/attempts/all.ts";
import type { Attempt } from "../e2e/read-only/attempts/attempt.ts";
import { beginSession } from "../e2e/read-only/world/session.ts";
import { SYSTEM_PATH, type ToolWayOptions, toolWay } from "../e2e/read-only/world/tool-way.ts";
import { type Trial, tryAttempts } from "../e2e/read-only/world/trial.ts";
import { makeWorld } from "../e2e/read-only/world/world.ts";

/** What became of the attempts. */
export interface ToolOutcomes {
  /** As they are, in mode `default`, whose question is refused. */
  readonly plain: Trial;
  /** Inside a one-liner of an interpreter, which the policy lets run, because the kernel holds it. */
  readonly inside: Trial;
  /** A few of those inside, with `unconfined`. */
  readonly unconfined: Trial;
  /** A few that act everywhere, in mode `yolo`. */
  readonly seeded: Trial;
}

/** Attempts that act for every user, and harm no session. */
const SEEDS = ["write a file", "make a folder", "have node write", "connect by TCP", "change a variable"];

const [folder = "", every = "1"] = process.argv.slice(2);
const hasPython = spawnSync("python3", ["--version"], { env: { PATH: SYSTEM_PATH } }).status === 0;
const all = allAttempts();
const inside = new Map(
  [...all]
    .filter(([name], index) => index % Number(every) === 0 || SEEDS.includes(name))
    .map(([name, attempt]): [string, Attempt] => [name, within(attempt)]),
);

/** The same lines for a bash that an interpreter starts, whose text the policy does not see. */
function within(attempt: Attempt): Attempt {
  const [program, code] = hasPython
    ? ["python3 -c", 'import subprocess, sys; sys.exit(subprocess.run(["bash", "-c", sys.argv[1]]).returncode)']
    : ["node -e", 'require("child_process").spawnSync("bash", ["-c", process.argv[1]], { stdio: "inherit" })'];
  return { ...attempt, lines: attempt.lines.map((line) => `${program} ${singleQuoted(code)} ${singleQuoted(line)}`) };
}

function some(attempts: ReadonlyMap<string, Attempt>, names: readonly string[]): Map<string, Attempt> {
  return new Map([...attempts].filter(([name]) => names.includes(name)));
}

const world = await makeWorld(folder);
const home = world.variables()["HOME"] ?? "";
const begin = (more: Partial<ToolWayOptions>) => () =>
  beginSession(world, toolWay({ cwd: world.workspace, home, ...more }));
const outcomes: ToolOutcomes = {
  plain: await tryAttempts(world, all, { begin: begin({}) }),
  inside: await tryAttempts(world, inside, { begin: begin({}) }),
  unconfined: await tryAttempts(world, some(inside, SEEDS), { begin: begin({ unconfined: true }) }),
  seeded: await tryAttempts(world, some(all, SEEDS), { begin: begin({ mode: "yolo" }), isControl: true }),
};
await world.close();
process.stdout.write(`${JSON.stringify(outcomes)}\n`);
