/** A manager's ways to its jobs: whom they find, what an end does, what stays after it, and what comes back from disk. */
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import type { JobContext } from "../src/jobs/job.ts";
import { JobManager } from "../src/jobs/job-manager.ts";
import type { TaskTerminal } from "../src/tty/terminal-port.ts";
import { open, quick, receive, work } from "./support/jobs.ts";
import { until } from "./support/waiting.ts";

afterEach(() => void vi.restoreAllMocks());
const LOOK = { reader: "me", timeoutMs: 0, wakesOnOutput: true, maxBytes: 1_000 };

/** A running job and what its work was given. */
async function running(options: Parameters<JobManager["start"]>[0] | object = {}) {
  const manager = await open();
  const { run, end } = work();
  let context: JobContext | undefined;
  const view = manager.start({
    command: "make  all",
    ...options,
    work: (given) => {
      context = given;
      return run(given);
    },
  });
  if (context === undefined) throw new Error("the work did not begin");
  return { manager, end, context, id: view.id, view };
}

describe("a job", () => {
  it("is found by its id whoever owns it, with its command as it was given", async () => {
    const { manager, id } = await running({ owner: "a", title: "build" });
    expect(manager.find(id)).toMatchObject({
      command: "make  all",
      job: { owner: "a", title: "build", label: "make all" },
    });
    expect(manager.find("bg_9")).toBeUndefined();
    expect(manager.listAll((owner) => owner === "a")).toHaveLength(1);
    expect(manager.listAll((owner) => owner !== "a")).toEqual([]);
    expect([manager.read(id, "a")?.job.id, manager.read(id, "b"), manager.read(id)]).toEqual([
      id,
      undefined,
      undefined,
    ]);
    expect([manager.maxJobs, manager.registryError]).toEqual([100, undefined]);
  });

  it("has the ports and the terminal that its work gives it, and none without", async () => {
    const { manager, context, id } = await running();
    expect([await manager.ports(id), manager.terminal(id), await manager.ports("bg_9")]).toEqual([[], undefined, []]);
    const ports = [{ port: 80, address: "::", startedAtMs: 0, isInside: false }];
    context.setPorts?.(async () => ports);
    const terminal = { prompt: 0, onChange: () => () => undefined } as unknown as TaskTerminal;
    context.setTerminal(terminal);

    expect([await manager.ports(id), manager.terminal(id)]).toEqual([ports, terminal]);
  });

  it("that waits at a prompt is shown to those who listen, until they stop; one that throws hurts no other", async () => {
    const warning = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const { manager, context, id } = await running();
    let changed = (): void => undefined;
    const terminal = {
      prompt: 0,
      waiting: undefined as unknown,
      onChange: (listener: () => void) => (changed = listener),
    };
    context.setTerminal(terminal as unknown as TaskTerminal);
    const heard = vi.fn();
    manager.watchWaiting(() => {
      throw new Error("host");
    });
    const stop = manager.watchWaiting(heard);
    const ask = (prompt: number): void => {
      Object.assign(terminal, { prompt, waiting: { certain: true, program: "bash" } });
      changed();
    };
    ask(1);
    stop();
    ask(2);

    expect(heard.mock.calls).toEqual([[expect.objectContaining({ id }), { certain: true, program: "bash" }]]);
    expect(warning.mock.calls.map(([text]) => text)).toEqual([
      "a listener of jobs that wait for input failed and is called no more: host",
    ]);
  });

  it.each([
    ["text", "watch it", "done\n\nwatch it", true],
    ["true", true, "done\n", true],
    ["false", false, "done\n", false],
  ])("is brought to its owner as it says at its end: %s", async (_, delivers, text, isBrought) => {
    const manager = await open();
    const { got } = receive(manager);
    const ask = vi.fn(() => delivers as boolean | string);
    const { id } = manager.start({ command: "a", work: quick("done\n"), delivers: ask });
    await until(() => manager.runningCount === 0, "the end");
    manager.start({ command: "b", work: quick("other\n") });
    await until(() => got.some(({ job }) => job.id !== id), "the other one's result");

    expect(ask.mock.calls).toEqual([[expect.objectContaining({ id, state: "completed" })]]);
    expect([manager.read(id)?.text, got.some(({ job }) => job.id === id)]).toEqual([text, isBrought]);
  });

  it("that was cancelled is not asked whether it is brought", async () => {
    const manager = await open();
    const delivers = vi.fn(() => true);
    const onStop = vi.fn();
    const { id } = manager.start({ command: "a", work: work().run, delivers, onStop });
    await manager.cancel(id);
    await until(() => manager.runningCount === 0, "the end");
    await manager.cancel(id);

    expect([delivers.mock.calls.length, onStop.mock.calls.length]).toEqual([0, 2]);
  });

  it("is reported once to the host when it has ended; a host that throws then is warned", async () => {
    const warning = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const onEnd = vi.fn(() => {
      throw new Error("host");
    });
    const manager = await open({ onEnd });
    for (const command of ["a", "b"]) manager.start({ command, work: quick() });
    await until(() => manager.runningCount === 0, "the ends");

    expect(onEnd).toHaveBeenCalledTimes(1);
    expect(warning.mock.calls[0]?.[0]).toBe("a listener of ended jobs failed and is called no more: host");
  });

  it("fails with what its work throws, an error or not", async () => {
    const manager = await open();
    manager.start({ command: "a", work: () => Promise.reject(new Error("no folder")) });
    manager.start({ command: "b", work: () => Promise.reject("odd") });
    await until(() => manager.runningCount === 0, "the ends");
    expect(["bg_1", "bg_2"].map((id) => manager.read(id)?.text)).toEqual(["no folder", "odd"]);
  });
});

describe("ending jobs", () => {
  it("terminates one, and waits until it is gone, or no longer than is said", async () => {
    const { manager, id } = await running();
    expect(await manager.terminate(id, 5_000)).toBe(true);
    expect([manager.runningCount, manager.list()[0]?.state]).toEqual([0, "cancelled"]);
    expect([await manager.terminate(id, 5_000), await manager.terminate("bg_9", 1)]).toEqual([true, true]);
    const stubborn = manager.start({ command: "b", work: () => new Promise(() => undefined) });
    expect(await manager.terminate(stubborn.id, 10)).toBe(false);
    expect(await manager.terminate(stubborn.id, 10)).toBe(false);
  });

  it("terminates what an ended one left running, and says so to its caller's own", async () => {
    const manager = await open();
    const [onStop, stopSurvivors] = [vi.fn(), vi.fn(async () => undefined)];
    const survivors = [{ pid: 9, command: "sleep", startedAtMs: 1 }];
    const { id } = manager.start({
      command: "a",
      onStop,
      work: async () => ({ text: "", exitCode: 0, survivors, stopSurvivors }),
    });
    await until(() => manager.runningCount === 0, "the end");
    expect(await manager.terminate(id, 1_000)).toBe(true);

    expect([onStop.mock.calls.length, stopSurvivors.mock.calls.length]).toEqual([1, 1]);
    expect(manager.find(id)?.job).not.toHaveProperty("survivors");
  });

  it("of an owner reaches ended ones' own stops, and no other owner's jobs", async () => {
    const manager = await open();
    const stops = { ended: vi.fn(), running: vi.fn(), other: vi.fn() };
    manager.start({ command: "a", owner: "x", work: quick(), onStop: stops.ended });
    await until(() => manager.runningCount === 0, "the end");
    manager.start({ command: "b", owner: "x", work: work().run, onStop: stops.running });
    manager.start({ command: "c", owner: "y", work: work().run, onStop: stops.other });
    expect(await manager.cancelAndReap("x", 5_000)).toEqual([]);

    expect([stops.ended, stops.running, stops.other].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0]);
    expect(manager.runningCount).toBe(1);
  });

  it("all at once, by disposing, leaves nothing to be started; twice is once", async () => {
    const { manager, context } = await running();
    await Promise.all([manager.dispose(), manager.dispose()]);
    expect(context.signal.aborted).toBe(true);
    const refused = "job manager is disposed; open another one";
    expect(() => manager.start({ command: "b", work: quick() })).toThrow(refused);
    await expect(manager.runForeground({ command: "b", thresholdMs: 0, work: quick() })).rejects.toThrow(refused);
  });

  it("takes back what was announced of a cancelled one", async () => {
    const { manager, id } = await running();
    manager.announce(id, { key: "a", text: "quiet", isQuiet: true });
    await manager.cancel(id);
    expect(manager.takeQuietNews(undefined)).toEqual([]);
  });
});

describe("a result", () => {
  it("that was followed is taken, kept for an hour, and forgotten then", async () => {
    const clock = { ms: 1_000 };
    const manager = await open({ now: () => clock.ms });
    const { id } = manager.start({ command: "a", work: quick("x\n") });
    await until(() => manager.runningCount === 0, "the end");
    (await manager.follow(id, LOOK))?.commit();
    expect((await manager.poll([id], { timeoutMs: 0 })).reports[0]).not.toHaveProperty("text");
    clock.ms += 3_599_999;
    expect(manager.list()).toHaveLength(1);
    clock.ms += 1;

    expect([manager.list(), await manager.follow(id, LOOK), manager.find(id)]).toEqual([[], undefined, undefined]);
  });

  it("that was polled is kept for half a minute", async () => {
    const clock = { ms: 1_000 };
    const manager = await open({ now: () => clock.ms });
    const { id } = manager.start({ command: "a", work: quick("x\n") });
    await manager.poll([id]);
    clock.ms += 29_999;
    expect(manager.find(id)).toBeDefined();
    clock.ms += 1;
    expect(manager.find(id)).toBeUndefined();
  });

  it("goes to the next manager of its folder with its number, and is delivered there", async () => {
    const registryFolder = join(scratchFolder(), "jobs");
    const first = await JobManager.open({ registryFolder });
    first.start({ command: "a", work: quick("x\n") });
    first.start({ command: "b", work: work().run });
    await until(() => first.runningCount === 1, "one end");
    await first.dispose();
    const second = await open({ registryFolder });
    const { got } = receive(second);
    await until(() => got.length === 1, "the delivery");

    expect(got.map(({ job, text }) => [job.id, text.endsWith("\n\nx")])).toEqual([["bg_1", true]]);
    expect(second.list().map(({ id, state }) => [id, state])).toEqual([
      ["bg_1", "completed"],
      ["bg_2", "cancelled"],
    ]);
    expect(second.start({ command: "c", work: quick() }).id).toBe("bg_3");
  });
});
