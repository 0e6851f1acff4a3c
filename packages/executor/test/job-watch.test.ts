/**
 * Looking at jobs and at commands in the foreground, and ending the latter, beside their owner.
 */
import { describe, expect, it } from "vitest";
import type { JobContext } from "../src/jobs/job.ts";
import { open, quick, receive, work } from "./support/jobs.ts";
import { until } from "./support/waiting.ts";

const LOOK = { reader: "person", timeoutMs: 5_000, wakesOnOutput: true, maxBytes: 1_000 };

describe("a command in the foreground", () => {
  it("is listed by an id of its own until it has ended, and leaves no job", async () => {
    const manager = await open();
    const { run, end } = work();
    const outcome = manager.runForeground({ command: "make", owner: "a", thresholdMs: 60_000, work: run });

    expect(manager.foreground.list()).toMatchObject([{ command: "make", job: { id: "fg_1", state: "running" } }]);
    end();
    await outcome;
    expect(manager.foreground.list()).toEqual([]);
    expect(manager.watch("fg_1")).toBeUndefined();
    expect(manager.listAll(() => true)).toEqual([]);
  });

  it("is ended by that id: its call gets what a cancelled one gets", async () => {
    const manager = await open();
    const outcome = manager.runForeground({ command: "a", thresholdMs: 60_000, work: work().run });

    expect(manager.foreground.end("fg_1")).toBe(true);

    expect(await outcome).toMatchObject({ kind: "ended", end: { text: "[Command cancelled]" } });
    expect(manager.foreground.end("fg_1")).toBe(false);
  });

  it("stays the same one under observation when it becomes a job", async () => {
    const manager = await open();
    const { run, end } = work();
    const leave = new AbortController();
    const outcome = manager.runForeground({
      command: "a",
      thresholdMs: 60_000,
      backgroundNow: leave.signal,
      work: run,
    });
    const watched = manager.watch("fg_1");
    leave.abort();
    expect(await outcome).toMatchObject({ kind: "backgrounded", job: { id: "bg_1" } });

    expect(manager.foreground.list()).toEqual([]);
    expect(manager.foreground.end("fg_1")).toBe(false);
    end({ exitCode: 3 });
    expect(await watched?.look(LOOK)).toMatchObject({ job: { id: "bg_1", exitCode: 3 } });
  });
});

describe("a look", () => {
  it("gives each line once to its reader, and wakes for new ones", async () => {
    const manager = await open();
    const { run, end } = work();
    let context: JobContext | undefined;
    manager.start({
      command: "a",
      work: (given) => {
        context = given;
        return run(given);
      },
    });
    context?.update("one\n", { bytes: 4, lines: 1 });
    const watched = manager.watch("bg_1");

    expect((await watched?.look(LOOK))?.output.text).toBe("one\n");
    const next = watched?.look(LOOK);
    context?.update("one\ntwo\n", { bytes: 8, lines: 2 });
    expect((await next)?.output.text).toBe("two\n");
    expect((await watched?.look({ ...LOOK, reader: "another" }))?.output.text).toBe("one\ntwo\n");
    end();
  });

  it("takes no result: it is delivered to its owner all the same", async () => {
    const manager = await open();
    const { run, end } = work();
    manager.start({ command: "a", owner: "agent", work: run });
    const look = manager.watch("bg_1")?.look(LOOK);
    end();
    expect((await look)?.job.state).toBe("completed");

    const { got } = receive(manager, "agent");

    await until(() => got.length === 1, "the delivery");
  });

  it("at a job that has ended is answered at once", async () => {
    const manager = await open();
    manager.start({ command: "a", work: quick("x\n", 4) });
    await until(() => manager.runningCount === 0, "its end");

    expect(await manager.watch("bg_1")?.look(LOOK)).toMatchObject({ job: { exitCode: 4 } });
  });
});
