/** Many tasks on terminals at once, and what is left of them when their workspace, their manager or their executor goes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { untilGone } from "../../../../test/support/process.ts";
import { cleanUpWorkspace } from "../../src/tasks/clean-up.ts";
import { thrown } from "../support/session.ts";
import { type TtyScene, ttyScene } from "./support.ts";

const onLinux = describe.skipIf(process.platform !== "linux");

/** Bytes of all buffers, without those that wait for the collector. */
function buffersAfterCollection(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().arrayBuffers;
}

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
      expect(details.status, text).toBe("completed");
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

onLinux("tasks on terminals that have ended", () => {
  it("hold their lines for readers who come later, and no screen", async () => {
    const scene = await ttyScene();
    const ids: string[] = [];
    const before = buffersAfterCollection();
    for (let at = 0; at < 30; at += 1) {
      const { taskId } = await scene.open(`seq -f 'line %.0f of ${at}' 1 2500`);
      ids.push(taskId);
    }

    // The buffers of a screen with 2,000 lines above it take more than 3 MB.
    await expect.poll(() => scene.manager.runningCount, { timeout: 20_000 }).toBe(0);
    // A collection frees what the one before it has finalized.
    const held = () => buffersAfterCollection() - before;
    await expect.poll(held, { timeout: 20_000 }).toBeLessThan(20 * 1024 * 1024);
    const [entry] = await scene.await({ task_ids: [ids[7] ?? ""], screen: true });
    expect(entry).toMatchObject({ status: "completed", exitCode: 0 });
    const terminal = scene.manager.terminal((ids[7] ?? "").slice("bash:".length));
    expect(terminal?.newLines(undefined).lines.at(-1)).toBe("line 2500 of 7");
    expect(terminal?.screen().text).toContain("line 2499 of 7");
  }, 120_000);
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
