/** The console on a device of the test's own: what it starts, what the window can do, and what the result is made of. */
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { type ConsolePorts, type ConsoleRequest, createConsole } from "../src/console/console.ts";
import type { ConsoleControls, ConsoleView, PtyDevice, PtyEnd, PtyStart } from "../src/console/console-port.ts";
import { deferred, until } from "./support/waiting.ts";

const ENDED: PtyEnd = { exitCode: 0, cancelled: false, timedOut: false };

/** A console whose program writes what the test says and ends when the test says. */
function scene({ view = {}, ports = {} }: { view?: ConsoleView | undefined; ports?: ConsolePorts } = {}) {
  const started: PtyStart[] = [];
  const calls: unknown[][] = [];
  const end = deferred<PtyEnd>();
  let write: (chunk: string) => Promise<unknown> = async () => undefined;
  const device: PtyDevice = {
    start: (options, onChunk) => {
      started.push(options);
      write = async (chunk) => onChunk(null, chunk);
      options.signal.addEventListener("abort", () => end.resolve({ cancelled: true, timedOut: false }));
      return end.promise;
    },
    write: (data) => {
      calls.push(["write", data]);
      return true;
    },
    resize: (cols, rows) => void calls.push(["resize", cols, rows]),
    kill: () => void calls.push(["kill"]),
  };
  let controls: ConsoleControls | undefined;
  const openView = vi.fn((given: ConsoleControls) => {
    controls = given;
    return view;
  });
  const run = async (more: Partial<ConsoleRequest> = {}) => {
    const running = createConsole({ openView, createPty: () => device, ...ports }).run({
      command: "vim",
      shell: "/bin/bash",
      cwd: "/here",
      env: { A: "1" },
      timeoutMs: 60_000,
      signal: undefined,
      artifact: undefined,
      title: "A title",
      ui: "ui",
      ...more,
    });
    await until(() => started.length > 0, "the start");
    return { running };
  };
  return {
    run,
    started,
    calls,
    device,
    openView,
    end: end.resolve,
    fail: end.reject,
    write: (chunk: string) => write(chunk),
    controls: () => {
      if (controls === undefined) throw new Error("there is no window");
      return controls;
    },
  };
}

describe("a program of the console", () => {
  it("is started with what was asked for, in the usual size", async () => {
    const made = scene();
    const { running } = await made.run();
    made.end(ENDED);
    await running;

    expect(made.started[0]).toMatchObject({
      command: "vim",
      shell: "/bin/bash",
      cwd: "/here",
      baseEnv: { A: "1" },
      timeoutMs: 60_000,
      cols: 120,
      rows: 40,
    });
    expect(made.openView.mock.calls[0]?.slice(1)).toEqual(["ui"]);
    expect(made.controls()).toMatchObject({ title: "A title", command: "vim" });
  });

  it.each<[ConsoleView, [number, number]]>([
    [{ cols: 90, rows: 30 }, [90, 30]],
    [{ cols: 90.9, rows: 30.9 }, [90, 30]],
    [{ cols: 1, rows: 1 }, [20, 5]],
    [{ cols: 9_999, rows: 9_999 }, [400, 200]],
    [{ cols: Number.NaN, rows: Number.POSITIVE_INFINITY }, [20, 5]],
    [{ cols: 90 }, [90, 40]],
  ])("has the size of its window, within bounds: %o", async (view, [cols, rows]) => {
    const made = scene({ view });
    const { running } = await made.run();
    made.end(ENDED);
    await running;
    expect(made.started[0]).toMatchObject({ cols, rows });
  });

  it("writes to the window and to the screen, whose text is the result", async () => {
    const onData = vi.fn();
    const onEnd = vi.fn();
    const made = scene({ view: { onData, onEnd } });
    const { running } = await made.run();
    await made.write("one\r\n");
    await made.write("10%\r20%\r\n");
    made.end({ exitCode: 3, cancelled: false, timedOut: false });
    const result = await running;

    expect(onData.mock.calls).toEqual([["one\r\n"], ["10%\r20%\r\n"]]);
    expect(onEnd.mock.calls).toEqual([[{ exitCode: 3, cancelled: false, timedOut: false }]]);
    expect(result).toMatchObject({
      output: "one\n20%\n",
      exitCode: 3,
      cancelled: false,
      truncated: false,
      totalLines: 2,
      totalBytes: 8,
      outputLines: 2,
      outputBytes: 8,
      wallTimeMs: expect.any(Number),
    });
    for (const absent of ["signal", "timedOut", "artifactId", "artifactError", "lost"])
      expect(result).not.toHaveProperty(absent);
  });

  it.each<[string, PtyEnd, object, string[]]>([
    [
      "a signal",
      { signal: "SIGTERM", cancelled: false, timedOut: false },
      { signal: "SIGTERM", cancelled: false },
      ["exitCode"],
    ],
    [
      "a cancel",
      { exitCode: 1, signal: "SIGKILL", cancelled: true, timedOut: false },
      { cancelled: true },
      ["exitCode", "signal", "timedOut"],
    ],
    [
      "a deadline",
      { exitCode: 1, cancelled: false, timedOut: true },
      { cancelled: true, timedOut: true },
      ["exitCode"],
    ],
  ])("that ended by %s says so", async (_, end, facts, absent) => {
    const made = scene();
    const { running } = await made.run();
    made.end(end);
    const result = await running;

    expect(result).toMatchObject({ output: "", totalLines: 0, totalBytes: 0, ...facts });
    for (const name of absent) expect(result).not.toHaveProperty(name);
  });

  it("gives the end of what it showed within the bound, and counts all", async () => {
    const made = scene();
    const { running } = await made.run({ maxBytes: 6 });
    await made.write("one\r\ntwo\r\n333\r\n");
    made.end(ENDED);

    expect(await running).toMatchObject({
      output: "o\n333\n",
      truncated: true,
      totalLines: 3,
      totalBytes: 12,
      outputBytes: 6,
    });
  });

  it("has its raw output in the artifact where that is longer than the bound", async () => {
    const made = scene();
    const artifact = { id: "a1", path: join(scratchFolder(), "raw.log") };
    const { running } = await made.run({ maxBytes: 100, artifact });
    await made.write("x".repeat(500));
    made.end(ENDED);
    expect(await running).toMatchObject({ artifactId: "a1", truncated: true });

    const short = scene();
    const small = await short.run({ artifact });
    await short.write("x");
    short.end(ENDED);
    expect(await small.running).not.toHaveProperty("artifactId");
  });

  it("that could not be started is a result, and one that was aborted before starts nothing", async () => {
    const made = scene();
    const { running } = await made.run();
    made.fail("no terminal");
    expect(await running).toMatchObject({
      output: "PTY error: no terminal\n",
      cancelled: false,
      truncated: false,
      totalLines: 1,
      totalBytes: 23,
      outputLines: 1,
      outputBytes: 23,
    });
    const aborted = createConsole({ createPty: made.device as never }).run({
      signal: AbortSignal.abort(),
    } as ConsoleRequest);
    expect(await aborted).toMatchObject({ output: "", cancelled: true });
    expect(made.started).toHaveLength(1);
  });
});

describe("a window", () => {
  it("types, resizes and ends the program, whatever the device says to that", async () => {
    const made = scene();
    const { running } = await made.run();
    expect(made.controls().write("x")).toBe(true);
    made.controls().resize(10_000, 1);
    made.device.write = () => {
      throw new Error("not now");
    };
    made.device.resize = () => {
      throw new Error("not now");
    };
    expect(made.controls().write("y")).toBe(false);
    expect(() => made.controls().resize(80, 24)).not.toThrow();
    made.controls().kill();

    expect(await running).toMatchObject({ cancelled: true });
    expect(made.calls).toEqual([
      ["write", "x"],
      ["resize", 400, 5],
    ]);
  });

  it("can do nothing to a program that has ended, and is shown nothing of it any more", async () => {
    const onData = vi.fn();
    const made = scene({ view: { onData } });
    const { running } = await made.run();
    made.end(ENDED);
    await running;
    await made.write("late");
    made.controls().resize(80, 24);

    expect([made.controls().write("x"), made.calls, onData.mock.calls]).toEqual([false, [], []]);
  });

  it("that answers queries does it alone, and where there is none the console does", async () => {
    for (const [view, answers] of [[{ answersQueries: true }, 0] as const, [{}, 1] as const, [undefined, 1] as const]) {
      const made = scene({ view });
      const { running } = await made.run();
      await made.write("\u001b[5n");
      made.end(ENDED);
      await running;
      expect(made.calls.filter(([name]) => name === "write")).toHaveLength(answers);
    }
  });

  it("that cannot be opened is a warning, and the program runs", async () => {
    const warning = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const made = scene({
      ports: {
        openView: () => {
          throw new Error("no screen");
        },
      },
    });
    const { running } = await made.run();
    made.end(ENDED);
    expect(await running).toMatchObject({ exitCode: 0 });
    expect(warning.mock.calls[0]?.[0]).toBe("a console window failed and is shown no more: no screen");
    warning.mockRestore();
  });

  it("is passed an abort of the call, and a request brings its own device", async () => {
    const made = scene({ ports: { createPty: () => Promise.reject(new Error("not this one")) as never } });
    const call = new AbortController();
    const { running } = await made.run({ signal: call.signal, createPty: () => made.device });
    call.abort();
    expect(await running).toMatchObject({ cancelled: true });
    expect(made.started[0]?.signal.aborted).toBe(true);
  });
});
