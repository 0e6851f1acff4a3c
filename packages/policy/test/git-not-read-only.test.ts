/** Calls of git that look harmless and are not: of `not-read-only.test.ts`, what is git's. Nothing is run. */
import { expect, it } from "vitest";
import { classify } from "../src/classify.ts";

const PLACE = { cwd: "/proj", workspace: "/proj", home: "/home/me" };

it.each([
  'git log --format="$f"',
  'git diff --output="$f"',
  "git -c core.pager=./x log",
  "git -C /x status",
  "git --git-dir=x status",
  "git --exec-path=. log",
  "git -p log",
  "git diff --ext-diff",
  "git log --textconv",
  "git diff --outp=x",
  "git log --show-signature",
  "git log --format=%G?",
  "git grep -Ovim x",
  "git grep --open-files-in=./x y",
  "git grep -e -- --open-files-in-pager=./x",
  "git branch x",
  "git branch -m a b",
  "git branch --del x",
  "git branch -v x",
  "git tag -v x",
  "git remote show origin",
  "git remote add x y",
  "git config a.b c",
  "git config --unset a.b",
  "git config edit",
  "git config -e",
  "git stash",
  "git stash pop",
  "git worktree add x",
  "git submodule update",
  "git bisect run x",
  "git reflog expire --all",
  "git fetch",
  "git commit -m x",
  "git checkout x",
  "git x",
  "git $x",
  "git log $x",
  "git",
  "git log --format=%+G?",
  "git log --format='% GS'",
  "git log --format=%-GK",
  "git log --pretty=mine",
  "git log --format=mine",
  "git for-each-ref --sort=-signature",
  "git for-each-ref --sort signature:key",
  "git for-each-ref --format='%(*signature)'",
  "git log -p --submodule=diff",
  "git diff --submodule",
])("%s is not read-only", (command) => {
  const result = classify(command, PLACE);

  expect(result.class).toBe("not-readonly");
  expect(result.findings.length).toBeGreaterThan(0);
  for (const finding of result.findings) expect(finding.message).not.toBe("");
});
