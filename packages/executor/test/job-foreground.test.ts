/**
 * Commands that become jobs when they take long, and what is said about jobs.
 */
import { describe, expect, it } from "vitest";
import { foregroundWaitMs } from "../src/jobs/foreground.ts";
import { endedText, jobLabel, listLine, startedText } from "../src/jobs/job-texts.ts";
import { open, quick, receive, work } from "./support/jobs.ts";
import { until } from "./support/waiting.ts";

describe("the foreground", () => {
  it("gives the end of work that ends in time, and leaves no job", async () => {
    const manager = await open();

    const outcome = await manager.runForeground({ command: "a", thresholdMs: 60_000, work: quick("a\n") });

    expect(outcome).toEqual({ kind: "ended", end: { text: "a\n", exitCode: 0 } });
    expect(manager.list()).toEqual([]);
    expect(manager.start({ command: "b", work: quick() }).id).toBe("bg_1");
  });

  it("turns into a job when the wait is over, and the result is delivered", async () => {
    const manager = await open();
    const { got } = receive(manager);
    const { run, end } = work();
    const controller = new AbortController();
    let isBackground = false;

    const outcome = await manager.runForeground({
      command: "a",
      thresholdMs: 5,
      signal: controller.signal,
      work: (context) => {
        context.update("so far");
        context.backgrounded.addEventListener("abort", () => {
          isBackground = true;
        });
        return run(context);
      },
    });

    expect(outcome).toMatchObject({ kind: "backgrounded", tail: "so far", job: { id: "bg_1", state: "running" } });
    expect(isBackground).toBe(true);
    controller.abort();
    end();
    await until(() => got.length === 1, "the delivery");
    expect(got[0]?.job.state).toBe("completed");
  });

  it("cancels the work when the call is aborted before", async () => {
    const manager = await open();
    const controller = new AbortController();
    const running = manager.runForeground({
      command: "a",
      thresholdMs: 60_000,
      signal: controller.signal,
      work: work().run,
    });

    controller.abort();

    expect(await running).toMatchObject({ kind: "ended", end: { text: "[Command cancelled]" } });
    expect(manager.list()).toEqual([]);
  });

  it("goes to the background early when someone asks for it", async () => {
    const manager = await open();
    const early = new AbortController();
    const running = manager.runForeground({
      command: "a",
      thresholdMs: 600_000,
      backgroundNow: early.signal,
      work: work().run,
    });

    early.abort();

    expect((await running).kind).toBe("backgrounded");
  });

  it("stays in the foreground at the limit", async () => {
    const manager = await open({ maxJobs: 1 });
    manager.start({ command: "a", work: work().run });
    const { run, end } = work();
    const running = manager.runForeground({ command: "b", thresholdMs: 0, work: run });
    setTimeout(end, 20);

    expect((await running).kind).toBe("ended");
  });

  it("rejects with what the work rejects with", async () => {
    const manager = await open();
    const running = manager.runForeground({
      command: "a",
      thresholdMs: 60_000,
      work: () => Promise.reject(new Error("no")),
    });

    await expect(running).rejects.toThrow("no");
  });

  it("JB-10: two hundred commands that end about the threshold are each ended or a job, never both or neither", async () => {
    const manager = await open({ maxJobs: 200 });
    const { got } = receive(manager);

    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        manager.runForeground({
          command: `c${index}`,
          thresholdMs: 40,
          work: async () => {
            await new Promise((resolve) => setTimeout(resolve, 20 + (index % 41)));
            return { text: `c${index}\n`, exitCode: 0 };
          },
        }),
      ),
    );
    const ended = outcomes.filter((outcome) => outcome.kind === "ended").length;
    await until(() => got.length === 200 - ended, "the others' results");

    expect(new Set(got.map((delivery) => delivery.job.id)).size).toBe(got.length);
    expect(manager.runningCount).toBe(0);
    expect(manager.list().length).toBe(got.length);
  });

  it("waits for the threshold, but ends a second before the deadline", () => {
    expect(foregroundWaitMs(60_000, 300_000)).toBe(60_000);
    expect(foregroundWaitMs(60_000, 10_000)).toBe(9_000);
    expect(foregroundWaitMs(60_000, 500)).toBe(0);
  });
});

describe("texts", () => {
  const job = {
    id: "bg_1",
    type: "bash",
    state: "completed",
    label: "make",
    startedAtMs: 0,
    endedAtMs: 61_500,
    exitCode: 0,
  } as const;

  it("a label is at most 120 units and ends with dots where it was cut", () => {
    expect(jobLabel(" make \n  all ")).toBe("make all");
    expect(jobLabel("x".repeat(120))).toBe("x".repeat(120));
    expect(jobLabel("x".repeat(121))).toBe(`${"x".repeat(117)}...`);
    expect(jobLabel(`${"x".repeat(116)}🙂${"x".repeat(10)}`)).toBe(`${"x".repeat(116)}...`);
  });

  it("a start names the job, its label and the `job` tool", () => {
    const text = startedText({ ...job, state: "running" });

    expect(text.startsWith("Background job bg_1 started: make\n")).toBe(true);
    expect(text).toContain('`poll: ["bg_1"]`');
    expect(text).toContain("`list: true`");
  });

  it("an end says how, after how long, and what is still running", () => {
    const survivors = [{ pid: 9, command: "sleep 300", startedAtMs: 1 }];

    expect(endedText({ ...job, survivors }, "out\n", undefined)).toBe(
      "Background job bg_1 completed (exit code 0, 1m 1s): make\n\nout\n\nStill running: 9 `sleep 300`. Cancel the job to end them.",
    );
    expect(endedText(job, "", undefined)).toContain("(no output)");
  });

  it("a long result is a preview of its beginning and end that points to the whole", () => {
    const text = endedText(job, `begin${"x".repeat(20_000)}end`, "a7");

    expect(text.length).toBeLessThan(4_300);
    expect(text).toContain("begin");
    expect(text).toContain("characters left out …]\n");
    expect(text.endsWith("end\n\nFull output: artifact://a7")).toBe(true);
  });

  it("a line of a list has id, state, age and label", () => {
    expect(listLine({ ...job, state: "running" }, 0)).toBe("bg_1 [bash] running 1m 1s — make");
  });
});
