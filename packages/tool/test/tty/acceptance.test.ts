/**
 * Programs that ask, answered through the tools as a model answers them: cases 1 to 4, 7, and 14 of the study on interactive
 * tasks, and its debugger, pager and rebase. None of them sleeps or polls.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../support/session.ts";
import { gitEnv, ttyScene } from "./support.ts";

/** Time that a program of this machine may take to start and to ask, in milliseconds: the rule's own and a busy machine's. */
const ASKED_MS = 15_000;

const has = (program: string): boolean => spawnSync("which", [program]).status === 0;

const REPOSITORY = `${gitEnv} git init -q . && seq 9 >f && git add f && git commit -qm one && echo more >>f;`;

describe.skipIf(process.platform !== "linux")("a task on a terminal (programs are Linux's)", () => {
  it.skipIf(!has("git"))(
    "1: `git add -p` asks for a hunk, which `y` stages, and its end is reported once",
    async () => {
      const { open, send, bash, delivered, list } = await withBash();
      await bash(REPOSITORY);
      const asked = await open("GIT_CONFIG_GLOBAL=/dev/null git add -p");
      expect(asked.waiting).toMatchObject({ kind: "line", program: "git", certain: true });
      expect(asked.waiting?.prompt).toMatch(/Stage this hunk/);
      expect(asked.text).toContain(`### Task ${asked.taskId}: waiting for input (line) after`);
      expect(asked.text).toContain("+more");
      expect(asked.tookMs).toBeLessThan(ASKED_MS);

      const got = delivered("agent-1");
      const done = await send(asked.taskId, { text: "y" });
      expect(done.details).toMatchObject({ status: "completed", exitCode: 0 });
      expect(await bash("git diff --cached --stat")).toContain("1 file changed");
      expect(await list()).toEqual([]);
      expect(got).toEqual([]);
    },
  );

  it.skipIf(!has("python3"))("2: `python3` computes, and what takes 3 s is answered after 3 s", async () => {
    const { open, send, terminate } = await ttyScene();
    const asked = await open("python3 -q");
    expect(asked.waiting).toMatchObject({ kind: "prompt", prompt: ">>>" });

    const sum = await send(asked.taskId, { text: "1+1" });
    expect(sum.text).toMatch(/^2$/m);
    expect(sum.waiting).toMatchObject({ kind: "prompt" });
    const slept = await send(asked.taskId, { text: "import time; time.sleep(3)" });
    expect(slept.tookMs).toBeGreaterThan(3_000);
    expect(slept.waiting).toMatchObject({ kind: "prompt" });
    await terminate(asked.taskId);
  });

  it.skipIf(!has("vim"))("3: `vim` is typed to, left by its keys, and its screen has the cursor", async () => {
    const { open, send, folder } = await ttyScene();
    const asked = await open("vim -u NONE -n f");
    expect(asked.screen).toMatchObject({ alternate: true, cols: 120, rows: 40, row: 1, col: 1 });
    expect(asked.text).toContain("full-screen program");

    const typed = await send(asked.taskId, { text: "ihello", enter: false });
    expect(typed.screen).toMatchObject({ row: 1, col: 6 });
    expect(typed.screen?.text.startsWith("hello")).toBe(true);
    await send(asked.taskId, { keys: ["Escape"] });
    const done = await send(asked.taskId, { text: ":wq" });
    expect(done.details).toMatchObject({ status: "completed", exitCode: 0 });
    expect(readFileSync(join(folder, "f"), "utf8")).toBe("hello\n");
    expect(done.text).not.toContain("hello world");
  });

  it.skipIf(!has("whiptail"))("4: `whiptail` shows its choice as highlighted, and keys move it", async () => {
    const { open, send } = await ttyScene();
    const asked = await open("whiptail --yesno Question 8 40; echo status=$?");
    expect(asked.screen?.highlighted).toEqual(["<Yes>"]);
    expect(asked.text).toContain('highlighted: "<Yes>"');

    const moved = await send(asked.taskId, { keys: ["Right"] });
    expect(moved.screen?.highlighted).toEqual(["<No>"]);
    const done = await send(asked.taskId, { keys: ["Enter"] });
    expect(done.text).toContain("status=1");
  });

  it.skipIf(!has("npm"))(
    "7: `npm init` is answered in 11 sends and without an await",
    async () => {
      const { open, send, folder } = await ttyScene();
      const first = await open("npm init");
      let answer = first;
      let sends = 0;
      while (answer.details.status === "running") {
        expect(answer.waiting?.certain, answer.text).toBe(true);
        answer = await send(first.taskId, {
          text: answer.waiting?.prompt?.startsWith("package name") ? "my-package" : "",
        });
        sends += 1;
        expect(sends).toBeLessThan(15);
      }
      expect(answer.details).toMatchObject({ status: "completed", exitCode: 0 });
      expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).toMatchObject({ name: "my-package" });
    },
    60_000,
  );

  it.skipIf(!has("less"))("`less` is searched and left", async () => {
    const { open, send } = await ttyScene();
    const shown = await open("seq 500 >f; LESS= less f");
    expect(shown.screen?.alternate).toBe(true);
    const found = await send(shown.taskId, { text: "/^321$" });
    expect(found.screen?.text).toContain("321");
    const same = await send(shown.taskId, { keys: ["Ctrl-L"] });
    expect(same.text).toContain("Screen unchanged.");
    const done = await send(shown.taskId, { text: "q", enter: false });
    expect(done.details.status).toBe("completed");
  });

  it.skipIf(!has("python3"))("`pdb` finds a wrong value", async () => {
    const { open, send, write } = await ttyScene();
    write(
      "t.py",
      "def total(items):\n    sum = 1\n    for item in items:\n        sum += item\n    return sum\nprint(total([1, 2]))\n",
    );
    const asked = await open("python3 -m pdb t.py");
    expect(asked.waiting).toMatchObject({ kind: "prompt", prompt: "(Pdb)" });
    await send(asked.taskId, { text: "b 3" });
    await send(asked.taskId, { text: "c" });
    const value = await send(asked.taskId, { text: "p sum" });
    expect(value.text).toMatch(/^1$/m);
    const done = await send(asked.taskId, { text: "q" });
    expect(done.details.status).toBe("completed");
  });

  it.skipIf(!has("vim"))("`git rebase -i` drops a commit in the editor that it opens", async () => {
    const { open, send, bash } = await withBash();
    await bash(`${gitEnv} git init -q . && for n in 1 2 3; do echo $n >f$n; git add .; git commit -qm c$n; done`);
    const asked = await open(`${gitEnv} GIT_EDITOR="vim -u NONE -n" git rebase -i HEAD~2`);
    expect(asked.screen?.text).toMatch(/^pick \w+ (?:# )?c2/m);
    const cut = await send(asked.taskId, { text: "dd", enter: false });
    expect(cut.screen?.text).not.toMatch(/^pick \w+ (?:# )?c2/m);
    const done = await send(asked.taskId, { text: ":wq" });
    expect(done.details).toMatchObject({ status: "completed", exitCode: 0 });
    expect(await bash("git log --format=%s")).toMatch(/^c3\nc1/);
  });

  it("14: a task in the background that waits notifies its owner once a prompt", async () => {
    const { open, delivered, manager, folder, touch, terminate } = await ttyScene();
    const got = delivered("agent-1");
    const task = await open('read -p "first? " a; until [ -e go ]; do :; done; read -p "second? " b', {
      run_in_background: true,
    });
    await until(() => got.length === 1, "the first prompt");
    expect(got[0]?.text).toContain('`bash` asks: "first?"');
    expect(got[0]?.job.endedAtMs).toBeUndefined();

    // It draws its prompt again, and still asks the same.
    manager.terminal(task.taskId.slice("bash:".length))?.resize(100, 30);
    touch("go");
    manager.terminal(task.taskId.slice("bash:".length))?.write("x\r");
    await until(() => got.length === 2, "the second prompt");
    expect(got[1]?.text).toContain('"second?"');
    expect(existsSync(join(folder, "go"))).toBe(true);
    await terminate(task.taskId);
    expect(got.length).toBe(2);
  });
});

async function withBash() {
  const scene = await ttyScene();
  return {
    ...scene,
    bash: async (script: string): Promise<string> => {
      const { details } = await scene.run(script);
      return details.status === "completed" ? (details.reportMarkdown.split("```\n")[1] ?? details.reportMarkdown) : "";
    },
  };
}
