/** Git calls judged read-only, run for real on a hostile and on an honest repository. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { classify } from "../src/classify.ts";
import { GIT_CONFIG_QUERY, GIT_HARDENING, gitConfigDangers } from "../src/git-hardening.ts";
import { inspectGitConfig } from "../src/git-inspection.ts";
import { createPolicy } from "../src/policy.ts";
import { scratchFolder, treeOf } from "./support/scratch.ts";

const scratch = scratchFolder();
const repo = join(scratch, "repo");
const proof = join(scratch, "PWNED");
const ENV = {
  PATH: process.env["PATH"] ?? "",
  HOME: scratch,
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.org",
};

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: repo, env: ENV, encoding: "utf8", timeout: 60_000 });
}

beforeEach(() => {
  rmSync(repo, { recursive: true, force: true });
  rmSync(proof, { force: true });
  mkdirSync(repo);
  git("init", "-q", "-b", "main");
  writeFileSync(join(repo, "a.ts"), "one\n");
  writeFileSync(join(repo, "same.ts"), "same\n");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  writeFileSync(join(repo, "a.ts"), "two\n");
  writeFileSync(join(repo, "evil.sh"), `#!/bin/sh\ntouch '${proof}'\ncat\n`);
  chmodSync(join(repo, "evil.sh"), 0o755);
});

describe("a git call judged read-only", () => {
  it("leaves the repository as it was, its index included", () => {
    const lines = [
      "git status",
      "git diff",
      "git diff HEAD --stat",
      "git log -p",
      "git show HEAD:a.ts",
      "git blame a.ts",
      "git branch -a",
      "git describe --always",
      "git ls-files -m",
      "git stash list",
      "git grep -n two",
      "git shortlog -sn HEAD",
      "git reflog",
      "git config --list",
      "git rev-parse HEAD",
      "git cat-file -p HEAD",
    ];
    // A new time without a change is what makes git want to rewrite its index.
    utimesSync(join(repo, "same.ts"), 1, 1);
    const before = treeOf(repo);

    for (const line of lines) {
      expect(classify(line).class, line).toBe("readonly");
      const run = spawnSync("bash", ["-c", line], { cwd: repo, env: { ...ENV, ...GIT_HARDENING }, timeout: 60_000 });
      expect(run.status, line).toBe(0);
    }

    expect(treeOf(repo)).toBe(before);
  });

  it("is none that rewrites the index whatever is set", () => {
    expect(classify("git describe --always --dirty").class).toBe("not-readonly");
  });

  it.each([
    ["core.fsmonitor", "./evil.sh", "git status"],
    ["core.pager", "./evil.sh", "git log"],
    ["core.hooksPath", ".", "git status"],
  ])("does not run what %s names, when hardened", (key, value, line) => {
    git("config", key, value);

    spawnSync("bash", ["-c", line], { cwd: repo, env: { ...ENV, ...GIT_HARDENING }, timeout: 60_000 });

    expect(existsSync(proof)).toBe(false);
  });

  it("would run an external diff, which no variable can stop, so the configuration is looked at", async () => {
    git("config", "diff.external", "./evil.sh");
    spawnSync("bash", ["-c", "git diff"], { cwd: repo, env: { ...ENV, ...GIT_HARDENING }, timeout: 60_000 });
    expect(existsSync(proof)).toBe(true);

    expect(await createPolicy().authorize({ command: "git diff", cwd: repo })).toMatchObject({
      behavior: "deny",
      verdict: { reasons: [{ code: "git-config", message: expect.stringContaining("`diff.external`") }] },
    });
  });
});

describe("the look at a git configuration", () => {
  it.each([
    ["core.fsmonitor", "./evil.sh"],
    ["core.sshCommand", "./evil.sh"],
    ["core.pager", "./evil.sh"],
    ["core.editor", "./evil.sh"],
    ["core.hooksPath", "hooks"],
    ["diff.external", "./evil.sh"],
    ["diff.mine.command", "./evil.sh"],
    ["diff.mine.textconv", "./evil.sh"],
    ["filter.Mine.clean", "./evil.sh"],
    ["filter.mine.process", "./evil.sh"],
    ["merge.mine.driver", "./evil.sh"],
    ["gpg.program", "./evil.sh"],
    ["gpg.ssh.program", "./evil.sh"],
    ["credential.helper", "!./evil.sh"],
    ["credential.https://x.y.helper", "!./evil.sh"],
    ["alias.st", "!./evil.sh"],
    ["pager.log", "./evil.sh"],
    ["sequence.editor", "./evil.sh"],
    ["remote.origin.uploadpack", "./evil.sh"],
    ["include.path", "../evil"],
    ["includeIf.gitdir:/.path", "../evil"],
  ])("finds %s", async (key, value) => {
    git("config", key, value);

    const dangers = await inspectGitConfig(repo);

    expect(dangers?.map((danger) => danger.key.toLowerCase())).toContain(key.toLowerCase());
  });

  it("finds what an included file sets, and runs nothing", async () => {
    writeFileSync(join(repo, ".git", "more"), "[diff]\n\texternal = ./evil.sh\n[core]\n\tfsmonitor = ./evil.sh\n");
    git("config", "include.path", "more");

    const keys = (await inspectGitConfig(repo))?.map((danger) => danger.key);

    expect(keys).toEqual(expect.arrayContaining(["include.path", "diff.external", "core.fsmonitor"]));
    expect(existsSync(proof)).toBe(false);
  });

  it("finds a repository inside, whose clean filter no variable switches off", async () => {
    const inner = join(repo, "inner");
    mkdirSync(inner);
    const at = (...args: string[]) => execFileSync("git", args, { cwd: inner, env: ENV, timeout: 60_000 });
    at("init", "-q");
    writeFileSync(join(inner, "f"), "x\n");
    at("add", ".");
    at("commit", "-q", "-m", "inner");
    spawnSync("git", ["add", "inner"], { cwd: repo, env: ENV, timeout: 60_000 });
    at("config", "filter.evil.clean", join(repo, "evil.sh"));
    writeFileSync(join(inner, ".git", "info", "attributes"), "* filter=evil\n");
    utimesSync(join(inner, "f"), 1, 1);

    const dangers = await inspectGitConfig(repo);
    expect(existsSync(proof)).toBe(false);
    spawnSync("git", ["status"], { cwd: repo, env: { ...ENV, ...GIT_HARDENING }, timeout: 60_000 });

    // The danger is real, and it is reported.
    expect(existsSync(proof)).toBe(true);
    expect(dangers).toEqual([{ key: "submodule.inner", value: "inner", origin: "index" }]);
    expect((await createPolicy().authorize({ command: "git status", cwd: repo })).behavior).toBe("deny");
  });

  it("finds nothing in an honest repository", async () => {
    git("config", "core.fsmonitor", "false");
    git("config", "alias.st", "status");
    git("remote", "add", "origin", "https://example.org/x.git");

    expect(await inspectGitConfig(repo)).toEqual([]);
  });

  it("does not hold the person's own settings against the repository", () => {
    writeFileSync(join(scratch, ".gitconfig"), "[core]\n\tpager = less\n[credential]\n\thelper = store\n");

    const output = git(...GIT_CONFIG_QUERY.slice(1));
    rmSync(join(scratch, ".gitconfig"));

    expect(output).toContain("core.pager");
    expect(gitConfigDangers(output)).toEqual([]);
  });

  it("says nothing rather than something wrong where it cannot look", async () => {
    expect(await inspectGitConfig(join(scratch, "nowhere"))).toBeUndefined();
  });
});
