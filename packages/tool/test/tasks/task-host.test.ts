/**
 * Tasks and the life of their host: what a restart finds, and what an executor that goes away leaves.
 */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../../test/support/scratch.ts";
import { jobs, until } from "../support/session.ts";
import { taskScene } from "../support/tasks.ts";

describe("after a restart", () => {
  it("a task that had ended still has its name and its report", async () => {
    const registryFolder = join(scratchFolder(), "registry");
    const first = await jobs({ registryFolder });
    const before = await taskScene({}, { asyncJobManager: first });
    const id = await before.start("echo out; exit 2", { display_name: "the tests" });
    await until(() => first.runningCount === 0, "the end");
    await first.dispose();

    const after = await taskScene({}, { asyncJobManager: await jobs({ registryFolder }) });
    const [entry] = await after.await({ task_ids: [id], timeout_secs: 0 });

    expect(entry).toMatchObject({ status: "completed", title: "the tests", exitCode: 2, output: "" });
    expect(entry?.status === "completed" && entry.reportMarkdown).toMatch(
      /^### Bash task: bash:bg_1 \(the tests\)\nstatus: exited\nexitCode: 2\n\n```\nout\n/,
    );
  });
});

describe("an executor that goes away", () => {
  it("ends every task, and every await with what there was", async () => {
    const { start, await: awaitTasks, session } = await taskScene();
    const id = await start("echo out; sleep 300");
    await awaitTasks({ task_ids: [id] });
    const waiting = awaitTasks({ task_ids: [id] });

    await session.executor.dispose();

    const [entry] = await waiting;
    expect(entry).toMatchObject({ status: "completed", taskId: id });
    expect(entry).not.toHaveProperty("exitCode");
  });
});
