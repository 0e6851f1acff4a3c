/** What changes a session for later commands: for its taint, and for mode `plan`. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { analyzeCommand } from "@pi-bash/command";
import { describe, expect, it } from "vitest";
import { decide } from "../src/decide.ts";
import { sessionChangesOf } from "../src/session-changes.ts";
import { taintOf } from "../src/taint.ts";
import { KEEPING } from "./support/keeping-cases.ts";
import { scratchFolder } from "./support/scratch.ts";
import { TAINTING } from "./support/taint-cases.ts";

const taint = (line: string) => taintOf(analyzeCommand(line));
const linesOf = (cases: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(cases).flatMap(([name, lines]) => lines.map((line) => [name, line] as const));

describe("a session is tainted", () => {
  it.each(linesOf(TAINTING))("by %s: %s", (_, line) => {
    expect(taint(line)).toBeDefined();
  });

  it.each(linesOf(KEEPING))("not by %s: %s", (_, line) => {
    expect(taint(line)).toBeUndefined();
  });

  it("by what it names", () => {
    expect(taint("printf -vPATH x")).toBe("a new value of `PATH`");
    expect(taint('printf -v "$x" y')).toBe("a variable that `printf` set, of a name that is not known,");
    expect(taint("alias a=b")).toBe("`alias`");
  });
});

/** The variables that tell, after a line ran in real bash without any program to find. */
function variablesAfter(line: string): string {
  const script = `cd ${JSON.stringify(FOLDER)}\n${line}\nbuiltin printf %s "$PATH|$LD_PRELOAD|$CDPATH|$IFS|\${PATH[0]}" >&9`;
  const stdio = ["ignore", ...Array.from({ length: 8 }, () => "ignore" as const), "pipe"] as const;
  const env = { PATH: "/nowhere", x: "PATH" };
  // A process group of its own; `spawnSync` has it as `spawn` does, only its type does not say so.
  const options = { stdio: [...stdio], env, timeout: 10_000, detached: true };
  const run = spawnSync(BASH, ["--norc", "-c", script], options);
  endGroup(run.pid);
  return String(run.output[9] ?? "");
}

/** What a line leaves behind (a coprocess that loops) ends with it. */
function endGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // Nothing is left of it.
  }
}

const BASH = "/bin/bash";
const FOLDER = scratchFolder();

// Windows has no bash of its own.
describe.skipIf(!existsSync(BASH))("in real bash", () => {
  const clean = variablesAfter(":");

  it("nothing that keeps a session sets a variable that programs obey", () => {
    const changed = Object.values(KEEPING)
      .flat()
      .map((line) => ({ line, after: variablesAfter(line) }))
      .filter(({ after }) => after !== clean && after !== "");

    expect(changed).toEqual([]);
  });

  it("what taints by a variable does set one", () => {
    const lines = Object.entries(TAINTING).flatMap(([name, each]) => (/options/.test(name) ? [] : each));
    const changed = lines.filter((line) => ![clean, ""].includes(variablesAfter(line)));

    // The rest needs a newer bash, input, or a value that `x` does not have here.
    expect(changed.length).toBeGreaterThan(60);
  });
});

const STAYING: readonly string[] = [
  "for f in *; do echo $f; done",
  "for JAVA_HOME in /evil; do :; done",
  "for _ in 1 2; do ls; done",
  "while read -r line; do echo $line; done < f",
  "while read -r; do ls; done < f",
  "read x < f",
  "cd src",
  "cd src && ls",
  "cd",
  "pushd src",
  "popd",
  "{ cd src; ls; }",
  "if true; then cd src; fi",
  "command cd src",
  "builtin cd src",
  "x=1",
  "printf -v x y",
  "echo ${x:=1}",
  "echo $((x=1))",
  "((i++))",
  "select x in a; do :; done",
  "mapfile -t a < f",
  "coproc ls",
  "wait -p x",
  "ls {fd}<f",
  "ls &",
  "shift",
  "exit",
  "set -e",
  "f() { ls; }",
  "alias a=b",
  "export A=1",
  'export "A=$x"',
  "umask 022",
];

const LEAVING: readonly string[] = [
  "ls",
  "ls | wc -l",
  "(cd src && ls)",
  "(cd src; git log)",
  "(for f in *; do echo $f; done)",
  "ls | while read -r f; do echo $f; done",
  "ls | { read x; echo $x; }",
  "cat <(cd src && ls)",
  "echo $(cd src && pwd)",
  "cd src | ls",
  "(ls &)",
  "bash -c 'cd src && ls'",
  "sh -c 'for f in *; do echo $f; done'",
  "dirs",
  "find . -execdir ls \\;",
  "LC_ALL=C ls",
  "echo cd",
  "git -C src log",
  "pwd",
];

describe("mode plan", () => {
  it.each(STAYING)("sees what stays of: %s", (line) => {
    expect(sessionChangesOf(analyzeCommand(line))).not.toEqual([]);
    expect(decide({ command: line, cwd: "/p", mode: "plan" }, {}).behavior).toBe("deny");
  });

  it.each(LEAVING)("sees nothing that stays of: %s", (line) => {
    expect(sessionChangesOf(analyzeCommand(line))).toEqual([]);
  });

  it("says why, and that parentheses help", () => {
    const refused = decide({ command: "cd src; ls", cwd: "/p", mode: "plan" }, {});

    expect(refused).toMatchObject({
      behavior: "deny",
      class: "readonly",
      reasons: [{ message: "`cd` changes the folder of the session", hint: "put it in parentheses: `( … )`" }],
    });
    expect(decide({ command: "(cd src; ls)", cwd: "/p", mode: "plan" }, {}).behavior).toBe("allow");
    expect(decide({ command: "(for f in a b; do echo $f; done)", cwd: "/p", mode: "plan" }, {}).behavior).toBe("allow");
    expect(decide({ command: "cd src; ls", cwd: "/p" }, {}).behavior).toBe("allow");
  });
});
