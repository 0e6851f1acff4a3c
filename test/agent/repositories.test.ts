/**
 * Tasks of an agent in git repositories: what it reads of each step, and what the repository is afterwards.
 */

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { bash, createAgent } from "./support/agent.ts";
import { git, place, repository, write } from "./support/place.ts";

const DONE = /\n\nWall time: \d+\.\d\d seconds$/;

describe("an agent in a repository", () => {
  it("looks around, changes a file and commits it", async () => {
    const cwd = repository({ "src/greet.js": 'export const greet = () => "helo";\n', "README.md": "# Greeter\n" });
    const agent = await createAgent({ cwd });

    const { readings, answer } = await agent.run(function* () {
      yield bash("git status --short && git ls-files");
      yield bash("grep -rn helo src");
      yield bash("sed -i 's/helo/hello/' src/greet.js && git diff --stat");
      yield bash("git commit -am 'Fix the greeting' && git log --oneline | wc -l");
      return "fixed";
    });

    expect(readings.map(({ isError }) => isError)).toEqual([false, false, false, false]);
    expect(readings[0]?.text).toMatch(/^README\.md\nsrc\/greet\.js\n\n/);
    expect(readings[1]?.text).toContain("src/greet.js:1:");
    expect(readings[2]?.text).toContain("1 file changed, 1 insertion(+), 1 deletion(-)");
    expect(readings[3]?.text).toMatch(/\n2\n\nWall time/);
    expect(git(cwd, "show", "HEAD:src/greet.js")).toContain("hello");
    expect(git(cwd, "status", "--porcelain")).toBe("");
    expect(answer).toBe("fixed");
  });

  it("finds a merge conflict, resolves it and concludes the merge", async () => {
    const cwd = repository({ "list.txt": "one\ntwo\n" });
    git(cwd, "checkout", "-q", "-b", "other");
    write(cwd, { "list.txt": "one\nTWO\n" });
    git(cwd, "commit", "-qam", "shout");
    git(cwd, "checkout", "-q", "main");
    write(cwd, { "list.txt": "one\n2\n" });
    git(cwd, "commit", "-qam", "count");
    const agent = await createAgent({ cwd });

    const { readings } = await agent.run(function* () {
      const [merge] = yield bash("git merge other");
      expect(merge).toMatchObject({ isError: true, details: { exitCode: 1 } });
      yield bash("git diff --name-only --diff-filter=U; cat list.txt");
      yield bash("printf 'one\\ntwo, 2\\n' > list.txt && git add list.txt && git commit --no-edit");
      return "merged";
    });

    expect(readings[0]?.text).toMatch(/CONFLICT \(content\): Merge conflict in list\.txt/);
    expect(readings[0]?.text).toMatch(/\nCommand exited with code 1$/);
    expect(readings[1]?.text).toMatch(/^list\.txt\none\n<<<<<<< HEAD\n2\n=======\nTWO\n>>>>>>> other\n/);
    expect(readings[2]?.isError).toBe(false);
    expect(git(cwd, "rev-list", "--parents", "-1", "HEAD").split(" ")).toHaveLength(3);
    expect(git(cwd, "show", "HEAD:list.txt")).toBe("one\ntwo, 2");
  });

  it("rebases interactively without an editor to answer", async () => {
    const cwd = repository({ a: "1\n" });
    for (const name of ["b", "c"]) {
      write(cwd, { [name]: name });
      git(cwd, "add", "-A");
      git(cwd, "commit", "-qm", name);
    }
    const agent = await createAgent({ cwd });

    const { readings } = await agent.run(function* () {
      yield bash("git rebase -i HEAD~2 && git log --format=%s", { timeout: 60 });
      yield bash("GIT_SEQUENCE_EDITOR=\"sed -i '2s/^pick/fixup/'\" git rebase -i HEAD~2", { timeout: 60 });
      return "rebased";
    });

    expect(readings[0]?.text).toMatch(/c\nb\nfirst\n\nWall time/);
    expect(readings[1]?.isError).toBe(false);
    expect(git(cwd, "log", "--format=%s")).toBe("b\nfirst");
    expect(git(cwd, "ls-files")).toBe("a\nb\nc");
  });

  it("hears at once that a commit without a message made none, and gives one", async () => {
    const cwd = repository({ a: "1\n" });
    write(cwd, { a: "2\n" });
    const agent = await createAgent({ cwd });

    const { readings } = await agent.run(function* () {
      yield bash("git commit -a", { timeout: 60 });
      yield bash("git commit -a -m second");
      return "committed";
    });

    expect(readings[0]).toMatchObject({ isError: true, details: { exitCode: 1 } });
    expect(readings[0]?.text).toMatch(/Aborting commit due to empty commit message/);
    expect(git(cwd, "log", "--format=%s")).toBe("second\nfirst");
  });

  it("reads a long history without a pager", async () => {
    const cwd = repository({ a: "" });
    const agent = await createAgent({ cwd, settings: { "shellMinimizer.enabled": false } });

    const { readings } = await agent.run(function* () {
      yield bash('for i in $(seq 150); do git commit -q --allow-empty -m "change $i" || exit; done');
      yield bash("git log --oneline", { timeout: 60 });
      return "read";
    });

    expect(readings[1]?.text.split("\n").filter((line) => / change \d+$/.test(line))).toHaveLength(150);
    expect(readings[1]?.text).toMatch(DONE);
  });

  it("finds the commit that broke something by bisection", async () => {
    const cwd = repository({ "value.txt": "0\n", "check.sh": 'test "$(cat value.txt)" -lt 6\n' });
    for (let value = 1; value <= 9; value++) {
      write(cwd, { "value.txt": `${value}\n` });
      git(cwd, "commit", "-qam", `value ${value}`);
    }
    const agent = await createAgent({ cwd });

    const { readings } = await agent.run(function* () {
      yield bash("git bisect start HEAD HEAD~9 && git bisect run sh check.sh; git bisect reset");
      return "found";
    });

    expect(readings[0]?.text).toMatch(/is the first bad commit/);
    expect(readings[0]?.text).toMatch(/value 6/);
    expect(git(cwd, "rev-parse", "--abbrev-ref", "HEAD")).toBe("main");
  });

  it("reads why a hook refused a commit, mends it and commits", async () => {
    const cwd = repository({ "a.txt": "fine\n" });
    write(cwd, {
      ".git/hooks/pre-commit": "#!/bin/sh\ngrep -n TABOO a.txt && { echo 'a.txt: taboo word' >&2; exit 3; }\nexit 0\n",
    });
    const agent = await createAgent({ cwd });

    const { readings } = await agent.run(function* () {
      yield bash("chmod +x .git/hooks/pre-commit; echo TABOO >> a.txt; git commit -am more");
      yield bash("sed -i /TABOO/d a.txt; echo kind >> a.txt; git commit -qam more");
      return "committed";
    });

    expect(readings[0]).toMatchObject({ isError: true });
    expect(readings[0]?.text).toMatch(/^2:TABOO\na\.txt: taboo word\n/);
    expect(readings[1]?.text).toMatch(/^\(no output\)\n/);
    expect(git(cwd, "show", "HEAD:a.txt")).toBe("fine\nkind");
  });

  it("has a push refused, rebases on what came meanwhile, and pushes", async () => {
    const origin = place();
    git(origin, "init", "-q", "--bare", "-b", "main");
    const cwd = repository({ mine: "1\n" });
    git(cwd, "remote", "add", "origin", origin);
    git(cwd, "push", "-q", "origin", "main");
    const other = place();
    git(other, "clone", "-q", origin, "clone");
    const clone = join(other, "clone");
    git(clone, "config", "user.name", "B");
    git(clone, "config", "user.email", "b@example.com");
    write(clone, { theirs: "1\n" });
    git(clone, "add", "-A");
    git(clone, "commit", "-qm", "theirs");
    git(clone, "push", "-q", "origin", "main");
    write(cwd, { mine: "2\n" });
    git(cwd, "commit", "-qam", "mine");
    const agent = await createAgent({ cwd });

    const { readings } = await agent.run(function* () {
      yield bash("git push origin main 2>&1 | tail -5");
      yield bash("git push origin main");
      yield bash("git pull -q --rebase origin main && git push -q origin main && git log --format=%s");
      return "pushed";
    });

    // The status is that of `tail`, as it would be in any shell.
    expect(readings[0]?.isError).toBe(false);
    expect(readings[1]).toMatchObject({ isError: true, details: { exitCode: 1 } });
    expect(readings[1]?.text).toMatch(/\[rejected\]/);
    expect(readings[2]?.text).toMatch(/^mine\ntheirs\nfirst\n\n/);
    expect(git(origin, "log", "--format=%s")).toBe("mine\ntheirs\nfirst");
  });

  it("carries a half-done change to another branch by a stash", async () => {
    const cwd = repository({ a: "1\n", b: "1\n" });
    const agent = await createAgent({ cwd });

    const { readings } = await agent.run(function* () {
      yield bash("echo 2 > a && git stash && git status --porcelain");
      yield bash(
        "git checkout -q -b fix && git stash pop -q && git commit -qam 'a is 2' && git checkout -q main && cat a",
      );
      yield bash("git cherry-pick fix >/dev/null && cat a");
      return "done";
    });

    expect(readings[1]?.text).toMatch(/^1\n\n/);
    expect(readings[2]?.text).toMatch(/^2\n\n/);
    expect(git(cwd, "log", "--format=%s", "main")).toBe("a is 2\nfirst");
  });

  it("is refused a password prompt instead of waiting for one (EV-02)", async () => {
    const server = createServer((_request, response) => {
      response.writeHead(401, { "WWW-Authenticate": 'Basic realm="secret"' }).end();
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const agent = await createAgent({ cwd: place() });

    const { readings } = await agent.run(function* () {
      yield bash(`git ls-remote http://127.0.0.1:${port}/private.git`, { timeout: 60 });
      return "refused";
    });

    expect(readings[0]).toMatchObject({ isError: true, details: { exitCode: 128 } });
    expect(readings[0]?.text).toMatch(/terminal prompts disabled|could not read Username|Authentication failed/i);
  });

  it("keeps a folder of its own for each of two worktrees", async () => {
    const cwd = repository({ a: "1\n" });
    const agent = await createAgent({ cwd });

    const { readings } = await agent.run(function* () {
      yield bash("git worktree add -q -b side ../$(basename $PWD)-side && cd ../$(basename $PWD)-side && pwd");
      const [read] = yield bash("pwd");
      expect(read?.text).toMatch(new RegExp(`^${cwd}\n`));
      yield bash("echo 2 > a && git commit -qam side && git log --format=%s -1", { cwd: `${cwd}-side` });
      yield bash(`git worktree remove ${cwd}-side && git log --format=%s -1 side`);
      return "done";
    });

    expect(readings[0]?.text).toContain(`The command ended in ${cwd}-side; pass \`cwd\` to run the next one there.`);
    expect(readings[2]?.text).toMatch(/^side\n/);
    expect(readFileSync(join(cwd, "a"), "utf8")).toBe("1\n");
    expect(git(cwd, "log", "--format=%s", "-1", "side")).toBe("side");
  });
});
