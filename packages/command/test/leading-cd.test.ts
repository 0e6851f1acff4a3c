/** Taking a leading `cd` out of a command line. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { analyzeCommand } from "../src/analyze.ts";
import { bash, scratchFolder } from "./judge.ts";

const folder = scratchFolder();
for (const name of ["a", "a b", "~", "a$b", "a(b)", "c'd", "sub/inner"]) {
  mkdirSync(join(folder, name), { recursive: true });
}

describe("a leading cd", () => {
  it.each([
    "cd a && pwd",
    "cd  a&&pwd",
    "cd a &&pwd && ls -d .",
    "cd 'a b' && pwd",
    'cd "a b" && pwd | cat',
    String.raw`cd a\ b && pwd`,
    "cd 'a$b' && pwd",
    "cd 'a(b)' && pwd",
    `cd "c'd" && pwd`,
    "cd '~' && pwd",
    "cd ./sub/../a && pwd",
    "cd sub/inner && cat <<E\nx\nE",
  ])("is taken out, and the rest runs there as it did: %s", (line) => {
    const cd = analyzeCommand(line).leadingCd;

    expect(cd).toBeDefined();
    expect(bash(cd?.rest ?? "", join(folder, cd?.path ?? ""))).toEqual(bash(line, folder));
  });

  it.each(["cd ~ && pwd", "cd ~/x && pwd"])("keeps a tilde for the caller to expand: %s", (line) => {
    expect(analyzeCommand(line).leadingCd?.path).toBe(line.slice(3, line.indexOf(" &&")));
  });

  it.each([
    "cd a && x || y",
    "cd nope && x; echo rc=$?",
    "cd a; pwd",
    "cd a || pwd",
    "cd a && pwd &",
    'cd "$(mktemp -d)" && pwd',
    "cd $x && pwd",
    "cd `x` && pwd",
    "cd - && pwd",
    "cd -P a && pwd",
    "cd -- a && pwd",
    "cd && pwd",
    "cd '' && pwd",
    "cd a b && pwd",
    "cd a 2>/dev/null && pwd",
    "cd a* && pwd",
    "cd {a,b} && pwd",
    "cd ~user && pwd",
    " cd a && pwd",
    "X=1 cd a && pwd",
    "! cd a && pwd",
    "time cd a && pwd",
    "cd a &&\npwd",
    "cd a \\\n&& pwd",
    "cd a\npwd",
    "'cd' a && pwd",
    "cdx a && pwd",
    "(cd a && pwd)",
    "cd a && (pwd",
    "pwd && cd a",
  ])("stays where it is: %s", (line) => {
    expect(analyzeCommand(line).leadingCd).toBeUndefined();
  });
});
