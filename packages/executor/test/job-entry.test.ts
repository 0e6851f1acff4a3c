/** One job as data: how it ends, what its work says early, who takes its result, and what it leaves running. */
import { describe, expect, it, vi } from "vitest";
import type { JobEnd, JobView } from "../src/jobs/job.ts";
import { stopSurvivors } from "../src/jobs/job-entry.ts";
import { withArtifact } from "../src/jobs/overflow.ts";
import type { TaskTerminal } from "../src/tty/terminal-port.ts";
import { job } from "./support/entry.ts";

const listeners = () => ({ onArtifact: vi.fn(), onWaiting: vi.fn() });

describe("a job that ends", () => {
  const survivors = [{ pid: 9, command: "sleep 300", startedAtMs: 1 }];
  it.each<[string, JobEnd | undefined, Partial<JobView>, string[]]>([
    [
      "completed with exit code 0",
      { text: "", exitCode: 0 },
      { state: "completed", exitCode: 0 },
      ["signal", "survivors"],
    ],
    ["failed with another one", { text: "", exitCode: 3 }, { state: "failed", exitCode: 3 }, ["stopped", "usage"]],
    ["failed without one", { text: "" }, { state: "failed" }, ["exitCode", "artifactId"]],
    ["failed without an end", undefined, { state: "failed", endedAtMs: 2_000 }, ["exitCode"]],
    [
      "failed at its deadline",
      { text: "", stopped: "deadline", signal: "SIGKILL" },
      { stopped: "deadline", signal: "SIGKILL" },
      ["exitCode"],
    ],
    ["completed with what goes on", { text: "", exitCode: 0, survivors }, { survivors }, []],
    ["completed with nothing that goes on", { text: "", exitCode: 0, survivors: [] }, {}, ["survivors"]],
    ["completed with an artifact", { text: "", exitCode: 0, artifactId: "a2" }, { artifactId: "a2" }, []],
  ])("has %s", (_, result, view, absent) => {
    const { entry, end } = job({ artifactId: "a1" });
    end(result);

    expect(entry.view).toMatchObject({ ...view, id: "bg_1", endedAtMs: 2_000 });
    for (const name of absent) expect(entry.view).not.toHaveProperty(name);
    expect([entry.isRunning, entry.tail, entry.log.isOver]).toEqual([false, "", true]);
  });

  it("keeps what its command used", () => {
    const { entry, end } = job();
    const usage = { cpu_ms: 5 } as unknown as NonNullable<JobEnd["usage"]>;
    end({ text: "", exitCode: 0, usage });
    expect(entry.view.usage).toEqual(usage);
  });

  it("was cancelled whatever its exit code is, which it then has not", () => {
    const { entry, end } = job();
    entry.cancel();
    end({ text: "", exitCode: 0 });

    expect(entry.view.state).toBe("cancelled");
    expect(entry.view).not.toHaveProperty("exitCode");
  });

  it("never ends before it started", () => {
    const { entry, end } = job();
    end({ text: "", exitCode: 0 }, 500);
    expect(entry.view.endedAtMs).toBe(1_000);
  });

  it("takes no more updates, and its totals are those of its end", () => {
    const { entry, end } = job();
    const context = entry.context(listeners());
    context.update("tail", { bytes: 4, lines: 1 });
    expect([entry.tail, entry.log.totals]).toEqual(["tail", { bytes: 4, lines: 1 }]);
    context.update("newer");
    expect([entry.tail, entry.log.totals.bytes]).toEqual(["newer", 4]);
    end({ text: "", totals: { bytes: 9, lines: 2 } });
    context.update("late", { bytes: 99, lines: 9 });
    entry.log.grow({ bytes: 99, lines: 9 });

    expect([entry.tail, entry.log.totals]).toEqual(["", { bytes: 9, lines: 2 }]);
  });
});

describe("work of a job", () => {
  it("names its artifact, its record and its ports early, and who listens is called for the first two", () => {
    const { entry } = job();
    const heard = listeners();
    const context = entry.context(heard);
    const open = async () => Promise.reject(new Error("not opened"));
    context.setArtifact("a1", "/tmp/a1", undefined, open);
    context.setRecord?.("r1");
    const ports = async () => [];
    context.setPorts?.(ports);

    expect(entry.view).toMatchObject({ artifactId: "a1", recordId: "r1", id: "bg_1" });
    expect([entry.log.path, entry.log.open, entry.ports]).toEqual(["/tmp/a1", open, ports]);
    expect(heard.onArtifact).toHaveBeenCalledTimes(2);
    expect(context.isRead?.()).toBe(false);
    entry.log.cursor("someone");
    expect(context.isRead?.()).toBe(true);
  });

  it("may go to the background as a job, or where it can be made one, and not when it has ended or was cancelled", () => {
    const asJob = job();
    expect(asJob.entry.context(listeners()).goToBackground()).toBe(true);
    const cancelled = job();
    cancelled.entry.cancel();
    expect(cancelled.entry.context(listeners()).goToBackground()).toBe(false);
    const over = job();
    over.end({ text: "" });
    expect(over.entry.context(listeners()).goToBackground()).toBe(false);

    const { entry } = job({ id: "" });
    expect([entry.isJob, entry.context(listeners()).goToBackground()]).toEqual([false, false]);
    for (const can of [true, false]) {
      entry.promote = () => can;
      expect(entry.context(listeners()).goToBackground()).toBe(can);
    }
  });

  it("on a terminal wakes its readers at each change, and reports each prompt at which it certainly waits once", () => {
    const { entry } = job();
    const heard = listeners();
    let changed = (): void => undefined;
    const terminal = {
      prompt: 1,
      waiting: undefined as unknown,
      onChange: (listener: () => void) => (changed = listener),
    };
    entry.context(heard).setTerminal(terminal as unknown as TaskTerminal);
    const woken = vi.fn();
    entry.log.onNews(woken);
    const asks = { certain: true, program: "bash" };
    for (const [prompt, waiting] of [
      [1, asks],
      [2, undefined],
      [2, { certain: false }],
      [2, asks],
      [2, asks],
      [3, asks],
    ] as const) {
      Object.assign(terminal, { prompt, waiting });
      changed();
    }

    expect(woken).toHaveBeenCalledTimes(6);
    expect(heard.onWaiting.mock.calls).toEqual([[asks], [asks]]);
    expect(entry.log.terminal).toBe(terminal);
  });
});

describe("the result of a job", () => {
  it.each([
    ["none", true],
    ["queued", true],
    ["sending", false],
    ["delivered", false],
    ["consumed", false],
  ] as const)("that is %s is taken by a poll: %s", (delivery, isTaken) => {
    const { entry } = job();
    entry.delivery = delivery;

    expect(entry.consume(7)).toBe(isTaken);
    expect([entry.delivery, entry.takenAtMs]).toEqual(isTaken ? ["consumed", 7] : [delivery, undefined]);
  });

  it("is delivered with its artifact and an id of its own", () => {
    const { entry, end } = job();
    end({ text: "out\n", exitCode: 0, artifactId: "a1" });
    const delivery = entry.toDelivery();

    expect(delivery.deliveryId).toBe(entry.runKey);
    expect(delivery.text).toBe("Background job bg_1 (the build) completed (exit code 0, 1.0s): make all\n\nout");
    expect(delivery.job).toBe(entry.view);
  });

  it.each([
    ["is short", "x".repeat(12_000), undefined, { id: "a1" }, undefined],
    ["is long", "x".repeat(12_001), undefined, { id: "a1" }, "a1"],
    ["has an artifact", "x".repeat(12_001), "a0", { id: "a1" }, "a0"],
    ["cannot be saved", "x".repeat(12_001), undefined, undefined, undefined],
  ])("has an artifact where it %s", async (_, text, artifactId, saved, expected) => {
    const save = vi.fn(async () => saved ?? Promise.reject(new Error("full")));
    const end = { text, ...(artifactId === undefined ? {} : { artifactId }) };

    expect((await withArtifact(end, { save } as never)).artifactId).toBe(expected);
    expect((await withArtifact(end, undefined)).artifactId).toBe(artifactId);
    expect(save.mock.calls.length).toBe(text.length > 12_000 && artifactId === undefined ? 1 : 0);
  });
});

describe("what an ended job left running", () => {
  const survivors = [
    { pid: 9, command: "a", startedAtMs: 1 },
    { pid: 10, command: "b", startedAtMs: 1 },
  ];
  it("is ended, counted, and not listed any more", async () => {
    const { entry, end } = job();
    const stop = vi.fn(async () => undefined);
    end({ text: "", survivors, stopSurvivors: stop });

    expect([await stopSurvivors(entry), await stopSurvivors(entry)]).toEqual([2, 0]);
    expect(stop).toHaveBeenCalledTimes(1);
    expect(entry.view).not.toHaveProperty("survivors");
    expect(entry.view.id).toBe("bg_1");
  });

  it("stays listed where it cannot be ended, or is not within ten seconds", async () => {
    const { entry, end } = job();
    end({ text: "", survivors });
    expect(await stopSurvivors(entry)).toBe(0);
    vi.useFakeTimers();
    const other = job();
    other.end({ text: "", survivors, stopSurvivors: () => new Promise(() => undefined) });
    const stopping = stopSurvivors(other.entry);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await stopping).toBe(0);
    vi.useRealTimers();

    expect([entry.view.survivors, other.entry.view.survivors]).toEqual([survivors, survivors]);
  });
});
