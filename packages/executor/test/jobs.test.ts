/**
 * Jobs: starting, waiting, ending them.
 */
import { describe, expect, it, vi } from "vitest";
import type { JobEnd } from "../src/jobs/job.ts";
import { open, quick, receive, work } from "./support/jobs.ts";
import { deferred, until } from "./support/waiting.ts";

describe("a job", () => {
  it("runs, ends with its result, and is listed with both", async () => {
    const manager = await open({ now: () => 5_000 });
    const { run, end } = work();

    const started = manager.start({ command: "npm run dev", work: run });

    expect(started).toEqual({ id: "bg_1", type: "bash", state: "running", label: "npm run dev", startedAtMs: 5_000 });
    expect(manager.list()).toEqual([started]);
    end({ text: "all\n", artifactId: "a1" });
    await until(() => manager.list()[0]?.state === "completed", "the end");
    expect(manager.list()[0]).toMatchObject({ exitCode: 0, endedAtMs: 5_000, artifactId: "a1" });
    expect(manager.read("bg_1")?.text).toBe("all\n");
  });

  it("fails with a non-zero exit, a missing one, and work that throws", async () => {
    const manager = await open();
    manager.start({ command: "a", work: quick("x", 2) });
    manager.start({ command: "b", work: async () => ({ text: "[Command timed out after 1 second]" }) });
    manager.start({ command: "c", work: () => Promise.reject(new Error("Working directory does not exist: /x")) });

    await until(() => manager.runningCount === 0, "all to end");

    expect(manager.list().map((job) => job.state)).toEqual(["failed", "failed", "failed"]);
    expect(manager.list().map((job) => job.exitCode)).toEqual([2, undefined, undefined]);
    expect(manager.read("bg_3")?.text).toBe("Working directory does not exist: /x");
  });

  it("is seen by its owner alone", async () => {
    const manager = await open();
    manager.start({ command: "a", owner: "one", work: work().run });

    expect(manager.list("one").length).toBe(1);
    expect(manager.list("two")).toEqual([]);
    expect(manager.list()).toEqual([]);
    expect((await manager.poll(["bg_1"], { owner: "two", timeoutMs: 0 })).reports).toEqual([
      { id: "bg_1", kind: "not_found" },
    ]);
    expect((await manager.cancel("bg_1", "two")).text).toBe("Background job not found: bg_1");
  });

  it("is refused at the limit, with what to do", async () => {
    const manager = await open({ maxJobs: 2 });
    manager.start({ command: "a", work: work().run });
    manager.start({ command: "b", work: work().run });

    expect(() => manager.start({ command: "c", work: work().run })).toThrowError(
      "Background job limit reached (2). Wait for running jobs to finish or cancel one.",
    );
  });

  it("shows the newest output while it runs", async () => {
    const manager = await open();
    manager.start({
      command: "a",
      work: async (context) => {
        context.update("42 %");
        context.setArtifact("a7");
        return work().run(context);
      },
    });

    expect(manager.read("bg_1")).toMatchObject({ text: "42 %", job: { artifactId: "a7" } });
  });
});

describe("cancelling", () => {
  it("JB-05: is reported at once, never ends as completed, and is fine twice", async () => {
    const manager = await open();
    const end = deferred<JobEnd>();
    manager.start({ command: "a", work: () => end.promise });

    const first = await manager.cancel("bg_1");
    const second = await manager.cancel("bg_1");
    end.resolve({ text: "x", exitCode: 0 });
    await until(() => manager.runningCount === 0, "the end");

    expect(first.text).toBe("Cancelled background job bg_1.");
    expect(second.text).toBe("Background job bg_1 is already cancelled.");
    expect(manager.list()[0]).toMatchObject({ state: "cancelled" });
    expect(manager.list()[0]).not.toHaveProperty("exitCode");
    expect((await manager.cancel("bg_1")).text).toBe("Background job bg_1 is already cancelled.");
  });

  it("is not followed by a delivery: the owner knows", async () => {
    const manager = await open();
    const { got } = receive(manager);
    manager.start({ command: "a", work: work().run });

    await manager.cancel("bg_1");
    await until(() => manager.runningCount === 0, "the end");
    manager.start({ command: "b", work: quick() });
    await until(() => got.length === 1, "the other job's result");

    expect(got[0]?.job.id).toBe("bg_2");
  });

  it("JB-08: ends what an ended job left running", async () => {
    const manager = await open();
    const stopSurvivors = vi.fn(async () => undefined);
    manager.start({
      command: "a",
      work: async () => ({
        text: "",
        exitCode: 0,
        survivors: [{ pid: 9, command: "sleep 300", startedAtMs: 1 }],
        stopSurvivors,
      }),
    });
    await until(() => manager.runningCount === 0, "the end");
    expect(manager.list()[0]?.survivors?.length).toBe(1);

    const { text } = await manager.cancel("bg_1");

    expect(text).toBe("Background job bg_1 is already completed. Its 1 remaining process was ended.");
    expect(stopSurvivors).toHaveBeenCalledTimes(1);
    expect(manager.list()[0]).not.toHaveProperty("survivors");
  });

  it("of an owner's jobs waits until they are gone, and names those that are not", async () => {
    const manager = await open();
    manager.start({ command: "a", owner: "x", work: work().run });
    manager.start({ command: "b", owner: "x", work: () => deferred<JobEnd>().promise });
    manager.start({ command: "c", owner: "y", work: work().run });

    expect(await manager.cancelAndReap("x", 200)).toEqual(["bg_2"]);
    expect(manager.list("y")[0]?.state).toBe("running");
  });
});

describe("polling", () => {
  it("JB-03: with no time answers at once, running or ended", async () => {
    const manager = await open();
    const slow = work();
    manager.start({ command: "a", work: slow.run });
    manager.start({ command: "b", work: quick("b\n") });
    await until(() => manager.runningCount === 1, "one to end");

    const { reports } = await manager.poll(["bg_1", "bg_2", "bg_1"], { timeoutMs: 0 });

    expect(reports).toMatchObject([
      { id: "bg_1", kind: "running" },
      { id: "bg_2", kind: "ended", text: "b\n" },
    ]);
  });

  it("waits until the first of them has ended", async () => {
    const manager = await open();
    const [one, two] = [work(), work()];
    manager.start({ command: "a", work: one.run });
    manager.start({ command: "b", work: two.run });
    const polling = manager.poll(["bg_1", "bg_2"]);

    two.end({ text: "b\n" });

    expect((await polling).reports).toMatchObject([{ kind: "running" }, { kind: "ended", text: "b\n" }]);
  });

  it("JB-05: gives a result once; later polls say that the job has ended", async () => {
    const manager = await open();
    manager.start({ command: "a", work: quick("a\n") });

    const first = await manager.poll(["bg_1"]);
    const second = await manager.poll(["bg_1"]);

    expect(first.reports[0]).toMatchObject({ kind: "ended", text: "a\n" });
    expect(second.reports[0]).not.toHaveProperty("text");
    expect(manager.read("bg_1")?.text).toBe("a\n");
  });

  it("JB-11: wakes everyone who waits, and ends on a signal without ending the job", async () => {
    const manager = await open();
    const { got } = receive(manager);
    const { run, end } = work();
    manager.start({ command: "a", work: run });
    const controller = new AbortController();
    const aborted = manager.poll(["bg_1"], { signal: controller.signal });
    const waiting = [manager.poll(["bg_1"]), manager.poll(["bg_1"])];

    controller.abort();
    expect(await aborted).toMatchObject({ isAborted: true, reports: [{ kind: "running" }] });
    end({ text: "a\n" });

    for (const { reports } of await Promise.all(waiting))
      expect(reports[0]).toMatchObject({ kind: "ended", text: "a\n" });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(got).toEqual([]);
  });

  it("JB-06: reports unknown ids beside known ones", async () => {
    const manager = await open();
    manager.start({ command: "a", work: quick("a\n") });

    const { reports } = await manager.poll(["bg_9", "../../x", "", "bg_1"]);

    expect(reports.map((report) => report.kind)).toEqual(["not_found", "not_found", "not_found", "ended"]);
  });

  it("an ended wait hands the result to the owner's sink", async () => {
    const manager = await open();
    const { got } = receive(manager);
    const { run, end } = work();
    manager.start({ command: "a", work: run });
    const polled = await manager.poll(["bg_1"], { timeoutMs: 5 });

    expect(polled.reports[0]?.kind).toBe("running");
    end();
    await until(() => got.length === 1, "the delivery");
  });
});
