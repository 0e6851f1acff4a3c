/**
 * A deadline whose caller decides: end the command, or let it go on in the background (seed 003, timeouts).
 */
import { describe, expect, it } from "vitest";
import type { TimeoutDecision } from "../src/deadline.ts";
import { bashWork } from "../src/jobs/bash-work.ts";
import { followScene, LONG_MS, waitFor } from "./support/follow.ts";
import { until } from "./support/waiting.ts";

/** Long enough for an `echo` in a session that stands. */
const DEADLINE_MS = 1_000;

/** A scene whose session stands, so that a deadline is the command's alone. */
async function warmScene(
  options?: Parameters<typeof followScene>[0],
): Promise<Awaited<ReturnType<typeof followScene>>> {
  const made = await followScene(options);
  await made.executor.executeBash("true", { cwd: made.folder });
  return made;
}

describe("the timeout callback", () => {
  it("is asked once at the deadline, and `kill` ends the command as a timeout", async () => {
    const { executor, folder, processes } = await warmScene();
    let asked = 0;

    const result = await executor.executeBash("echo begun; sleep 300", {
      cwd: folder,
      timeoutMs: DEADLINE_MS,
      onTimeout: () => {
        asked += 1;
        return "kill";
      },
    });

    expect(result).toMatchObject({ cancelled: true, timedOut: true });
    expect(result.output).toBe("[Command timed out after 1 second]\nbegun\n");
    expect(result).not.toHaveProperty("exitCode");
    expect(asked).toBe(1);
    await until(() => !processes().includes("sleep 300"), "the command to be gone");
  });

  it("`background` lets the command go on and loses not a byte of it", async () => {
    const { executor, folder, touch } = await warmScene();
    const asked: number[] = [];

    const running = executor.executeBash(`seq 1 1000; ${waitFor("go")}; seq 1001 2000`, {
      cwd: folder,
      timeoutMs: DEADLINE_MS,
      onTimeout: () => {
        asked.push(1);
        return "background";
      },
    });
    await until(() => asked.length > 0, "the deadline");
    touch("go");

    const result = await running;
    expect(result).toMatchObject({ cancelled: false, exitCode: 0, totalLines: 2_000 });
    expect(result.output).toBe(Array.from({ length: 2_000 }, (_, at) => `${at + 1}\n`).join(""));
    expect(asked).toEqual([1]);
  });

  it.each([
    ["throws", fail],
    ["answers with something else", () => "later"],
  ])("that %s ends the command", async (_, answer) => {
    const { executor, folder } = await warmScene();

    const result = await executor.executeBash("sleep 300", {
      cwd: folder,
      timeoutMs: DEADLINE_MS,
      onTimeout: answer as () => TimeoutDecision,
    });

    expect(result.timedOut).toBe(true);
  });

  it("is not asked for a command that ends or is aborted before", async () => {
    const { executor, folder } = await warmScene();
    let asked = 0;
    const onTimeout = (): TimeoutDecision => {
      asked += 1;
      return "kill";
    };
    const stop = new AbortController();
    const aborted = executor.executeBash("sleep 300", { cwd: folder, timeoutMs: 900, onTimeout, signal: stop.signal });
    const quick = await executor.executeBash("true", { cwd: folder, timeoutMs: 900, onTimeout, sessionKey: "other" });
    stop.abort();

    expect(quick.exitCode).toBe(0);
    expect(await aborted).toMatchObject({ cancelled: true });
    expect(await aborted).not.toHaveProperty("timedOut");
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(asked).toBe(0);
  });

  it("does not make a life endless: its bound ends the command without asking", async () => {
    const { executor, folder } = await warmScene();

    const result = await executor.executeBash("sleep 300", {
      cwd: folder,
      timeoutMs: 200,
      lifetimeMs: 600,
      onTimeout: () => "background",
    });

    expect(result).toMatchObject({ timedOut: true, output: "[Command timed out after 0.6 seconds]" });
  });
});

function fail(): string {
  throw new Error("no");
}

describe("a command in the foreground at its deadline", () => {
  it("becomes a job, with all its output, and its session goes on beside it", async () => {
    const { executor, manager, folder, touch, next } = await warmScene();
    const command = `echo begun; ${waitFor("go")}; echo done`;
    const outcome = await manager.runForeground({
      command,
      owner: "one",
      thresholdMs: Number.POSITIVE_INFINITY,
      work: bashWork(executor, command, {
        session: "shared",
        cwd: folder,
        timeoutMs: DEADLINE_MS,
        onTimeout: (context) => (context.goToBackground() ? "background" : "kill"),
      }),
    });

    expect(outcome).toMatchObject({ kind: "backgrounded", tail: "begun\n", job: { id: "bg_1", state: "running" } });
    expect((await executor.executeBash("echo beside", { cwd: folder, timeoutMs: LONG_MS })).output).toBe("beside\n");
    touch("go");
    const { output, job } = await next("bg_1", { wakesOnOutput: false });
    expect([output.text, job.state]).toEqual(["begun\ndone\n", "completed"]);
  });

  it("is ended where there is no room for another job", async () => {
    const { executor, manager, folder, start } = await warmScene({ maxJobs: 1 });
    start("sleep 300");

    const outcome = await manager.runForeground({
      command: "sleep 300",
      thresholdMs: Number.POSITIVE_INFINITY,
      work: bashWork(executor, "sleep 300", {
        session: "shared",
        cwd: folder,
        timeoutMs: DEADLINE_MS,
        onTimeout: (context) => (context.goToBackground() ? "background" : "kill"),
      }),
    });

    expect(outcome).toMatchObject({ kind: "ended", end: { text: "[Command timed out after 1 second]" } });
    expect(manager.list()).toEqual([]);
  });
});
