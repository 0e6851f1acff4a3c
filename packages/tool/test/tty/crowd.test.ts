/** Many tasks on terminals at once, and what is left of them when their workspace, their manager or their executor goes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { untilGone } from "../../../../test/support/process.ts";
import { cleanUpWorkspace } from "../../src/tasks/clean-up.ts";
import { thrown } from "../support/session.ts";
import { type TtyScene, ttyScene } from "./support.ts";

const onLinux = describe.skipIf(process.platform !== "linux");

/** Starts a task whose program, and one that left its session, wait; their process ids. */
async function leaving({ open, folder, made }: TtyScene): Promise<number[]> {
  await open("setsid sleep 300 & echo $! >b; echo $$ >a; read -p '> ' x");
  await Promise.all([made("a"), made("b")]);
  return ["a", "b"].map((name) => Number(readFileSync(join(folder, name), "utf8")));
}

onLinux("100 tasks on terminals (who waits is known on Linux)", () => {
  it("are started, answered and ended, each with its own words", async () => {
    const scene = await ttyScene();
    const { open, send } = scene;
    // A busy machine takes longer for a hundred starts than a call stays in the foreground.
    const prompted = async (taskId: string): Promise<string | undefined> => {
      const [entry] = await scene.await({ task_ids: [taskId], timeout_secs: 60, min_completed: 1 });
      return entry?.status === "running" ? entry.waiting?.prompt : undefined;
    };
    const asked = await Promise.all(
      Array.from({ length: 100 }, (_, at) => open(`read -p "number ${at}? " x; echo "<${at}:$x>"`)),
    );
    const prompts = await Promise.all(asked.map(({ taskId, waiting }) => waiting?.prompt ?? prompted(taskId)));
    expect(prompts).toEqual(asked.map((_, at) => `number ${at}?`));
    const ended = await Promise.all(
      asked.map(({ taskId }, at) => send(taskId, { text: `answer ${at}`, wait_secs: 60 })),
    );
    for (const [at, { text, details }] of ended.entries()) {
      expect(details.status).toBe("completed");
      expect(text).toContain(`<${at}:answer ${at}>`);
    }
    expect(scene.manager.runningCount).toBe(0);
  }, 180_000);

  it("beyond the limit of jobs are refused, and none is started", async () => {
    const { JobManager } = await import("@pi-bash/executor");
    const manager = await JobManager.open({ maxJobs: 1 });
    const { open, session } = await ttyScene({}, { asyncJobManager: manager });
    await open("read -p '> ' x");
    expect((await thrown(open("read -p '> ' x"))).message).toContain("Background job limit reached (1)");
    expect(manager.runningCount).toBe(1);
    await manager.dispose();
    await session.executor.dispose();
  });
});

onLinux("a task on a terminal is gone with everything that it started", () => {
  it.each<[string, (scene: TtyScene) => Promise<unknown>]>([
    ["its workspace", ({ session }) => cleanUpWorkspace(session, "agent-1")],
    ["its job manager", ({ manager }) => manager.dispose()],
    ["its executor", ({ session }) => session.executor.dispose()],
    ["`task_terminate`", ({ terminate }) => terminate("bash:bg_1")],
  ])("when %s goes", async (_, end) => {
    const scene = await ttyScene();
    const pids = await leaving(scene);
    await end(scene);
    await Promise.all(pids.map((pid) => untilGone(pid)));
  });
});
