/** What changes a session for later commands: for its taint, and for mode `plan`. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { analyzeCommand } from "@pi-bash/command";
import { describe, expect, it } from "vitest";
import { decide } from "../src/decide.ts";
import { sessionChangesOf } from "../src/session-changes.ts";
import { taintOf } from "../src/taint.ts";
import { KEEPING, TAINTING } from "./support/taint-cases.ts";

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
