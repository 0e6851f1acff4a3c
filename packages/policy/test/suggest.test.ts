/** Rules that are suggested after a question: a program with its subcommand, the exact words, or nothing. */
import { analyzeCommand } from "@pi-bash/command";
import { describe, expect, it } from "vitest";
import { suggestRules } from "../src/suggest.ts";

const suggested = (line: string): string[] => suggestRules(analyzeCommand(line).effective);

describe("a suggested rule", () => {
  it.each([
    ["git push", "git push **"],
    ["git push -f origin", "git push **"],
    ["git pu_sh-x", "git pu_sh-x **"],
    ["make all x", "make all **"],
    ["docker compose up", "docker compose **"],
    ["cargo test --x", "cargo test **"],
    ["git push $x", "git push **"],
  ])("for %s is one for the subcommand", (line, rule) => {
    expect(suggested(line)).toEqual([`Bash(${rule})`]);
  });

  it.each([
    "make",
    "git",
    "git -C x push",
    "git Push",
    "git 2push",
    "git rebase x",
    "git config x",
    "npm run build:x",
    "npm exec foo",
    "cargo run",
    "systemctl start x",
    // By another path it may be another program.
    "/opt/bin/git push",
    "./foo",
    "foo bar",
    "foo -x --y=z a,b c@d e%f g+h i:j /k/l.m",
  ])("for %s is one for exactly that", (line) => {
    expect(suggested(line)).toEqual([`Bash(${line})`]);
  });

  it.each([
    "git $x",
    'git "push x"',
    "foo 'a b'",
    "foo 'a*'",
    "foo ''",
    "foo $x",
    "foo ~",
    "$x",
    "X=1 foo",
    "sudo foo",
    "timeout 5 git push",
    "bash -c foo",
    "bash --foo",
    "node x",
    "/usr/bin/node x",
    "/usr/bin/sudo foo",
    "npx foo",
    "rm x",
    "curl x",
    "dd if=x",
    "sudo",
    "sudo --unknown git push",
    "flock --unknown x",
    "ionice --unknown x",
  ])("for %s would open more than was seen", (line) => {
    expect(suggested(line)).toEqual([]);
  });

  it("is one for each command, each once, or none where one has none", () => {
    expect(suggested("foo; bar; foo")).toEqual(["Bash(foo)", "Bash(bar)"]);
    expect(suggested("git push; git push -f; foo")).toEqual(["Bash(git push **)", "Bash(foo)"]);
    expect(suggested("foo; rm x; bar")).toEqual([]);
    expect(suggestRules([])).toEqual([]);
  });
});
