/**
 * `task` with `kind: "bash"`: commands in the foreground and in the background (seed 004, 1.1, 1.2, 2.2).
 */
import { TaskResult } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { createBashTool } from "../../src/bash-tool.ts";
import { ToolAbortError, ToolError } from "../../src/tool-error.ts";
import { textOf, thrown, until } from "../support/session.ts";
import { taskScene, waitFor } from "../support/tasks.ts";

const NEVER = { "task.autoBackground": false } as const;

describe("a command in the foreground", () => {
  it("answers with its output, its status, and a report of both", async () => {
    const { run } = await taskScene();

    const { content, details, isError } = await run("echo out; echo err >&2");

    expect(textOf({ content })).toMatch(/^out\nerr\n\nWall time: /);
    expect(details).toMatchObject({ status: "completed", title: "a command", exitCode: 0 });
    expect(details).not.toHaveProperty("taskId");
    expect(TaskResult.parse(details)).toEqual(details);
    expect(details.status === "completed" && details.reportMarkdown).toMatch(
      /^### Bash task: a command\n\n```\nout\nerr\n\nWall time: .* seconds\n```$/,
    );
    expect(isError).toBeUndefined();
  });

  it("that fails is an answer with its status last, like one of the bash tool", async () => {
    const { run } = await taskScene();

    const { content, details, isError } = await run("echo out; exit 3");

    expect(textOf({ content })).toMatch(/\nCommand exited with code 3$/);
    expect([isError, details]).toMatchObject([true, { status: "completed", exitCode: 3 }]);
  });

  it("has the limits of any result, and says how much there was", async () => {
    const { run } = await taskScene();

    const { content, details } = await run("seq 1 100000");

    expect(Buffer.byteLength(textOf({ content }))).toBeLessThanOrEqual(52 * 1024);
    expect(details).toMatchObject({ status: "completed", truncated: { totalLines: 100_000 } });
    expect(textOf({ content })).toMatch(/\[Showing lines \d+-100000 of 100000 .*artifact:\/\//);
  });

  it("keeps what it sets for the next one", async () => {
    const { run } = await taskScene();
    await run('answer=42; greet() { echo "it is $answer"; }');

    expect(textOf(await run("greet"))).toMatch(/^it is 42\n/);
  });

  it("waits for another one: both have the session's shell, one after the other", async () => {
    const { run, touch, made } = await taskScene();
    const first = run(`: > begun; ${waitFor("go")}; value=1`);
    await made("begun");
    const second = run("value=$((value + 1)); echo $value");

    touch("go");

    expect((await first).details.status).toBe("completed");
    expect(textOf(await second)).toMatch(/^2\n/);
  });

  it("is ended at its deadline, with its output, and says so", async () => {
    const { run } = await taskScene();
    await run("true");

    const error = await thrown(run("echo begun; sleep 300", { timeout_secs: 1 }));

    expect(error).toBeInstanceOf(ToolError);
    expect(error.message).toMatch(/^\[Command timed out after 1 second\]\nbegun\n/);
  });

  it("is ended when its call is aborted", async () => {
    const { run, list } = await taskScene();
    const controller = new AbortController();
    const updates: object[] = [];
    const running = thrown(run("echo begun; sleep 300", {}, { signal: controller.signal, updates: updates as never }));
    await until(() => updates.length > 0, "an update");

    controller.abort();

    expect(await running).toBeInstanceOf(ToolAbortError);
    expect(await list()).toEqual([]);
  });

  it("shows what it writes while it runs", async () => {
    const { run, touch } = await taskScene();
    const updates: Parameters<typeof textOf>[0][] = [];
    const running = run(`echo begun; ${waitFor("go")}`, {}, { updates });
    await until(() => updates.some((update) => textOf(update).includes("begun")), "an update");

    touch("go");

    expect((await running).details.status).toBe("completed");
  });
});

describe("a command that blocks its agent too long", () => {
  it("goes on in the background after the budget, and what it showed is not shown again", async () => {
    const { run, touch, await: awaitTasks } = await taskScene({ "task.blockingBudgetMs": 700 });
    await run("true");

    const { content, details } = await run(`echo begun; ${waitFor("go")}; echo done`);

    expect(details).toMatchObject({ status: "running", taskId: "bash:bg_1", output: "begun\n" });
    expect(textOf({ content })).toMatch(/^```\nbegun\n```\n\nThe command goes on in the background as bash:bg_1\./);
    touch("go");
    const [ended] = await awaitTasks({ min_completed: 1 });
    expect(ended).toMatchObject({ status: "completed", output: "done\n", exitCode: 0 });
  });

  it("stays where its program is one that is waited for, or where that is switched off", async () => {
    const short = { "task.blockingBudgetMs": 100 } as const;
    const allowed = await taskScene({ ...short, "task.neverBackground": ["sleep", "wait-for-it"] });
    const off = await taskScene({ ...short, ...NEVER });

    expect((await allowed.run("sleep 0.4; echo slept")).details).toMatchObject({ status: "completed", exitCode: 0 });
    expect((await off.run("true; sleep 0.4; echo slept")).details).toMatchObject({ status: "completed", exitCode: 0 });
  });

  it("goes on when someone has a message for the agent", async () => {
    const message = new AbortController();
    const { run, touch } = await taskScene({}, { queuedMessage: () => message.signal });
    const updates: Parameters<typeof textOf>[0][] = [];
    const running = run(`echo begun; ${waitFor("go")}`, {}, { updates });
    await until(() => updates.some((update) => textOf(update).includes("begun")), "an update");

    message.abort();

    const { details } = await running;
    expect(details).toMatchObject({ status: "running", output: "begun\n" });
    expect(details.note).toBe(
      "Task sent to background because a new message was queued. Use task_await to monitor progress.",
    );
    touch("go");
  });

  it("is delivered to its agent at its end when no one awaits it", async () => {
    const { run, touch, delivered } = await taskScene({ "task.blockingBudgetMs": 300 });
    const got = delivered("agent-1");
    await run(`echo begun; ${waitFor("go")}; exit 4`);

    touch("go");

    await until(() => got.length === 1, "the delivery");
    expect(got[0]?.job).toMatchObject({ id: "bg_1", title: "a command", state: "failed", exitCode: 4 });
  });
});

describe("the deadline of a command in the foreground", () => {
  it("is the session's to decide: it may go on, with every byte of its output", async () => {
    const asked: object[] = [];
    const {
      run,
      touch,
      await: awaitTasks,
    } = await taskScene(NEVER, {
      onTimeout: (request) => {
        asked.push(request);
        return "background";
      },
    });
    await run("true");

    const { details } = await run(`seq 1 500; ${waitFor("go")}; seq 501 600`, { timeout_secs: 1 });
    const first = details.status === "running" ? details.output : "";
    touch("go");
    const [ended] = await awaitTasks({ min_completed: 1 });

    expect(asked).toStrictEqual([{ command: expect.stringContaining("seq 1 500"), timeoutMs: 1_000 }]);
    const rest = ended?.status === "completed" ? ended.output : "";
    expect(`${first}${rest}`).toBe(Array.from({ length: 600 }, (_, at) => `${at + 1}\n`).join(""));
  });

  it("holds for the bash tool as well", async () => {
    const { session, touch, await: awaitTasks } = await taskScene({}, { onTimeout: () => "background" });
    const bash = createBashTool(session);
    await bash.execute("call", { command: "true" });

    const answer = await bash.execute("call", { command: `echo begun; ${waitFor("go")}; echo done`, timeout: 1 });

    expect(textOf(answer)).toMatch(/^begun\n\nBackground job bg_1 started: /);
    touch("go");
    expect(await awaitTasks({ min_completed: 1 })).toMatchObject([{ status: "completed", output: "begun\ndone\n" }]);
  });

  it("is the setting's where the session says nothing", async () => {
    const { run, terminate } = await taskScene({ ...NEVER, "bash.timeoutAction": "background" });
    await run("true");

    const { details } = await run("sleep 300", { timeout_secs: 1 });

    expect(details).toMatchObject({ status: "running", taskId: "bash:bg_1" });
    await terminate("bash:bg_1");
  });
});

describe("a command in the background", () => {
  it("answers at once with its task", async () => {
    const { run, touch } = await taskScene();

    const { content, details } = await run(waitFor("go"), { run_in_background: true });

    expect(details).toStrictEqual({ status: "running", taskId: "bash:bg_1" });
    expect(textOf({ content })).toBe("Task bash:bg_1 runs in the background. `task_await` has its output.");
    touch("go");
  });

  it("lives as long as its timeout says and no longer, and says so", async () => {
    const { start, await: awaitTasks } = await taskScene();
    const id = await start("echo begun; sleep 300", { timeout_secs: 1 });

    const [ended] = await awaitTasks({ task_ids: [id], min_completed: 1 });

    expect(ended).toMatchObject({ status: "completed", note: "[Command timed out after 1 second]" });
    expect(ended).not.toHaveProperty("exitCode");
    expect(ended?.status === "completed" && ended.reportMarkdown).toContain("status: failed\n");
  });

  it("is not asked about at its deadline: that is the end of its life", async () => {
    let asked = 0;
    const { start, await: awaitTasks } = await taskScene(
      {},
      {
        onTimeout: () => {
          asked += 1;
          return "background";
        },
      },
    );

    const [ended] = await awaitTasks({ task_ids: [await start("sleep 300", { timeout_secs: 1 })], min_completed: 1 });

    expect([ended?.status, asked]).toEqual(["completed", 0]);
  });

  it("has a shell of its own: what it sets is no one else's", async () => {
    const { run, start, await: awaitTasks } = await taskScene();
    await awaitTasks({ task_ids: [await start("answer=42")], min_completed: 1 });

    expect(textOf(await run('echo "<$answer>"'))).toMatch(/^<>\n/);
  });

  it("a hundred of them run at once, and each has its own output", async () => {
    const { start, await: awaitTasks, list, touch } = await taskScene();
    const ids = await Promise.all(Array.from({ length: 100 }, (_, at) => start(`${waitFor("go")}; echo "out ${at}"`)));
    expect((await list()).length).toBe(100);
    touch("go");

    const results = await awaitTasks({ task_ids: ids, min_completed: 100 });

    expect(results.map(({ status }) => status)).toEqual(Array(100).fill("completed"));
    expect(results.map((entry) => ("output" in entry ? entry.output : ""))).toEqual(ids.map((_, at) => `out ${at}\n`));
  }, 120_000);
});
