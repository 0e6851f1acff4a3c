/**
 * What commands in a sandbox leave in the workspace for programs outside: each attempt is refused, or its result names it.
 * That an attempt is one shows without a sandbox, where the program outside runs what was left. What counts as such and
 * how far is looked: `crates/pi-sandbox/src/plants`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "@pi-bash/contract";
import { createExecutor } from "@pi-bash/executor";
import { capabilities } from "@pi-bash/natives";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";

/** Time for a proof of a sandbox, two sessions' starts and some calls of git. */
const SLOW_MS = 60_000;

/** One thing that is left behind. */
interface Attempt {
  /** What a person did before. The workspace is the directory; git is set up. */
  readonly before: string;
  /** What the command does. `$EVIL` is what git would run; it leaves `$MARK`. */
  readonly inside: string;
  /** What the person does next. Empty: a tool that is not here would read the file. */
  readonly next: string;
  /** The path that the result names, or nothing: the kernel refuses the attempt. */
  readonly named?: string;
}

/** The attempts, each by what it is about. */
const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  "config.worktree, where that is on": {
    before: "git init -q; git config extensions.worktreeConfig true",
    inside: 'git config -f .git/config.worktree core.fsmonitor "$EVIL"',
    next: "git status",
  },
  "config.worktree of a linked worktree": {
    before:
      "git init -q; git config extensions.worktreeConfig true; git commit -q --allow-empty -m x; git worktree add -q w",
    inside: 'git config -f .git/worktrees/w/config.worktree core.fsmonitor "$EVIL"',
    next: "git -C w status",
  },
  "a pointer to common files elsewhere": {
    before: "git init -q; git commit -q --allow-empty -m x",
    inside: 'cp -r .git evil; git config -f evil/config core.fsmonitor "$EVIL"; echo ../evil > .git/commondir',
    next: "git status",
    named: ".git/commondir",
  },
  "the pointer of a linked worktree": {
    before: "git init -q; git commit -q --allow-empty -m x; git worktree add -q w",
    inside:
      'cp -r .git evil; git config -f evil/config core.fsmonitor "$EVIL"; echo $PWD/evil > .git/worktrees/w/commondir',
    next: "git -C w status",
  },
  "a bare repository in a folder without one": {
    before: "true",
    inside:
      'git init -q --bare x; mv x/* .; git config -f config core.bare false; git config -f config core.worktree "$PWD"; git config -f config core.fsmonitor "$EVIL"',
    next: "git status",
    named: "config",
  },
  "configuration of a submodule": {
    before:
      "git init -q; git init -q .git/modules/a/b; mv .git/modules/a/b/.git/* .git/modules/a/b; mkdir s; echo gitdir: ../.git/modules/a/b > s/.git",
    inside: 'git config -f .git/modules/a/b/config core.fsmonitor "$EVIL"',
    next: "git -C s status",
  },
  "a hook of a submodule": {
    before:
      "git init -q; git init -q .git/modules/b; mv .git/modules/b/.git/* .git/modules/b; mkdir s; echo gitdir: ../.git/modules/b > s/.git",
    inside:
      "printf '#!/bin/sh\\n%s\\n' \"$EVIL\" > .git/modules/b/hooks/pre-commit; chmod +x .git/modules/b/hooks/pre-commit",
    next: "git -C s commit -q --allow-empty -m x",
  },
  "a hook of a repository further down": {
    before: "git init -q; git init -q a/b/c",
    inside: "printf '#!/bin/sh\\n%s\\n' \"$EVIL\" > a/b/c/.git/hooks/pre-commit; chmod +x a/b/c/.git/hooks/pre-commit",
    next: "git -C a/b/c commit -q --allow-empty -m x",
  },
  "configuration of a repository further down": {
    before: "git init -q; git init -q a/b/c",
    inside: 'git config -f a/b/c/.git/config core.fsmonitor "$EVIL"',
    next: "git -C a/b/c status",
  },
  "another repository in the place of one further down": {
    before: "git init -q; git init -q a/b",
    inside: 'mv a z; git init -q a/b; git config -f a/b/.git/config core.fsmonitor "$EVIL"',
    next: "git -C a/b status",
    named: "a/b/.git/config",
  },
  "a new repository that the one above looks into": {
    before: "git init -q",
    inside:
      'git init -q a/b; cd a/b; git commit -q --allow-empty -m x; cd ../..; git add a/b; git config -f a/b/.git/config core.fsmonitor "$EVIL"',
    next: "git status",
    named: "a/b/.git/config",
  },
  "a pointer to a repository of no one": {
    before: "git init -q",
    inside:
      'git init -q x; mv x/.git y; git config -f y/config core.fsmonitor "$EVIL"; mkdir s; echo gitdir: ../y > s/.git',
    next: "git -C s status",
    named: "s/.git",
  },
  "the rest of a rebase": {
    before: "git init -q; git commit -q --allow-empty -m x; git commit -q --allow-empty -m y",
    inside: 'GIT_SEQUENCE_EDITOR=\'printf "break\\nexec %s\\n" "$EVIL" >\' git rebase -q -i HEAD~1',
    next: "git rebase --continue",
    named: ".git/rebase-merge/git-rebase-todo",
  },
  ".husky": { before: "git init -q", inside: "mkdir -p .husky; echo x > .husky/pre-commit", next: "" },
  ".devcontainer": { before: "true", inside: "mkdir -p .devcontainer; echo x > .devcontainer/x", next: "" },
  ".zed": { before: "true", inside: "mkdir -p .zed; echo x > .zed/tasks.json", next: "" },
  "an .npmrc that is there": { before: "echo a > .npmrc", inside: "echo x >> .npmrc || rm .npmrc", next: "" },
  "a new .npmrc": { before: "true", inside: "echo x > .npmrc", next: "", named: ".npmrc" },
  "a new .pnpmfile.cjs further down": {
    before: "mkdir -p a/b",
    inside: "echo x > a/b/.pnpmfile.cjs",
    next: "",
    named: "a/b/.pnpmfile.cjs",
  },
};

const hasGit = spawnSync("git", ["--version"]).status === 0;
const why = hasGit ? "" : " (needs git)";

interface Left {
  /** Paths that results named, in the workspace. */
  named: string[];
  /** What the attempt printed. */
  output: string;
  /** What was left ran. */
  ran: boolean;
  /** The command's own. */
  status: number | undefined;
}

async function leave(attempt: Attempt, settings: Partial<Settings>, test?: TestContext): Promise<Left> {
  // Not in /tmp, which is private in a sandbox.
  const folder = mkdtempSync("/var/tmp/pi-bash-plants-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [cwd, mark] = [join(folder, "workspace"), join(folder, "mark")];
  mkdirSync(cwd);
  const author = ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, "a"],
    [`GIT_${who}_EMAIL`, "a@b"],
  ]);
  const env = { ...process.env, ...Object.fromEntries(author), HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
  const outside = (command: string): void => {
    spawnSync("bash", ["-c", command], { cwd, env, timeout: 20_000 });
  };
  outside(attempt.before);
  const executor = createExecutor(settings, { cwd, usesSnapshot: false });
  onTestFinished(() => executor.dispose());
  const variables = { ...Object.fromEntries(author), HOME: folder, GIT_CONFIG_NOSYSTEM: "1", MARK: mark };
  const run = executor.executeBash(attempt.inside, { env: { ...variables, EVIL: `: > ${mark}; :` } });
  const result = await run.catch((error: Error & { code?: string }) => {
    if (error.code === "PI_SANDBOX_UNAVAILABLE") test?.skip(`this user has none: ${error.message}`);
    throw error;
  });
  const named = (result.sandbox?.planted ?? []).map(({ path }) => path.slice(cwd.length + 1));
  const again = await executor.executeBash("true");
  expect(again.sandbox?.planted, "named twice").toBeUndefined();
  await executor.dispose();
  outside(attempt.next);
  return { named, output: result.output, ran: existsSync(mark), status: result.exitCode };
}

describe.skipIf(!hasGit)(`without a sandbox${why}`, () => {
  const known = Object.entries(ATTEMPTS).filter(([, { next }]) => next !== "");
  it.each(known)("%s: what was left runs", { timeout: SLOW_MS }, async (_name, attempt) => {
    const { ran, output } = await leave(attempt, {});

    expect(ran, output).toBe(true);
  });
});

describe.skipIf(!hasGit).each(["bubblewrap", "landlock"] as const)(`%s${why}`, (backend) => {
  // A kernel or a machine without it.
  const skip = !capabilities().sandbox.includes(backend);
  for (const [name, attempt] of Object.entries(ATTEMPTS)) {
    const kind = attempt.named === undefined ? "refused" : "named";
    it(`${name} is ${kind}`, { skip, timeout: SLOW_MS }, async (test) => {
      const settings = { sandboxMode: "workspace-write", "sandbox.backend": backend } as const;
      const { named, ran, output, status } = await leave(attempt, settings, test);

      if (attempt.named === undefined) {
        expect(ran, output).toBe(false);
        // Where a pointer would lead to is named, which is as well.
        expect(named.filter((path) => !path.startsWith("evil/"))).toEqual([]);
        expect(status, output).not.toBe(0);
      } else {
        expect(named, output).toContain(attempt.named);
      }
    });
  }
});
