/** A console's bounds on a device of the test's own: its screen's size, its result's text, how it is given up. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_MAX_BYTES } from "@pi-bash/contract";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { type ConsolePorts, type ConsoleRequest, createConsole } from "../src/console/console.ts";
import type { ConsoleControls, ConsoleView, PtyDevice, PtyEnd } from "../src/console/console-port.ts";

const ENDED: PtyEnd = { exitCode: 0, cancelled: false, timedOut: false };
type Write = (chunk: string) => Promise<unknown>;

/** Runs a program that does what `program` does, in a window. */
async function run(
  program: (write: Write, controls: ConsoleControls) => Promise<PtyEnd>,
  { view = {}, request = {}, ports = {} }: { view?: ConsoleView; request?: object; ports?: ConsolePorts } = {},
) {
  const typed: string[] = [];
  let controls: ConsoleControls | undefined;
  const device: PtyDevice = {
    start: (_, onChunk) => program(async (chunk) => onChunk(null, chunk), controls as ConsoleControls),
    write: (data) => typed.push(data) > 0,
    resize: () => undefined,
    kill: () => undefined,
  };
  const openView = (given: ConsoleControls): ConsoleView => {
    controls = given;
    return view;
  };
  const asked: ConsoleRequest = {
    command: "vim",
    shell: "/bin/bash",
    cwd: "/",
    env: {},
    timeoutMs: 60_000,
    signal: undefined,
    artifact: undefined,
    title: "t",
    ui: undefined,
    ...request,
  };
  const result = await createConsole({ openView, createPty: () => device, ...ports }).run(asked);
  return { result, typed };
}
const writes =
  (...chunks: string[]) =>
  async (write: Write): Promise<PtyEnd> => {
    for (const chunk of chunks) await write(chunk);
    return ENDED;
  };
/** Asks a terminal where its last cell is. */
const LAST_CELL = "\u001b[999;999H\u001b[6n";

describe("the screen of a console", () => {
  it.each<[string, ConsoleView, string]>([
    ["has the usual size", {}, "\u001b[40;120R"],
    ["has the size of its window", { cols: 90, rows: 30 }, "\u001b[30;90R"],
  ])("%s", async (_, view, answer) => {
    expect((await run(writes(LAST_CELL), { view })).typed).toEqual([answer]);
  });

  it("follows the size of its window, within bounds", async () => {
    const { typed } = await run(async (write, controls) => {
      controls.resize(30.9, 10.9);
      await write(LAST_CELL);
      controls.resize(1, Number.NaN);
      await write(LAST_CELL);
      return ENDED;
    });
    expect(typed).toEqual(["\u001b[10;30R", "\u001b[5;20R"]);
  });

  it("keeps lines above it, and its text ends with a newline where there is one", async () => {
    const lines = Array.from({ length: 300 }, (_, at) => `${at}\n`);
    const { result } = await run(writes(lines.join("").replaceAll("\n", "\r\n")));
    expect(result.output).toBe(lines.join(""));
    expect((await run(writes("\r\n\r\n"))).result).toMatchObject({ output: "", totalLines: 0, truncated: false });
  });
});

describe("the result of a console", () => {
  it("has nothing that is not known", async () => {
    expect((await run(writes("one\r\n"))).result).toStrictEqual({
      output: "one\n",
      exitCode: 0,
      cancelled: false,
      truncated: false,
      totalLines: 1,
      totalBytes: 4,
      outputLines: 1,
      outputBytes: 4,
      wallTimeMs: expect.any(Number),
    });
    const bare = (await run(async () => ({ cancelled: false, timedOut: false }))).result;
    expect(Object.keys(bare)).not.toContain("exitCode");
  });

  it.each([
    ["as many bytes as are shown by itself", DEFAULT_MAX_BYTES, false],
    ["one byte more", DEFAULT_MAX_BYTES + 1, true],
  ])("of %s is cut or not", async (_, bytes, truncated) => {
    const line = `${"x".repeat(99)}\r\n`;
    const rest = "y".repeat(bytes - 1 - 100 * 510);
    const { result } = await run(writes(line.repeat(510), rest));
    expect([result.totalBytes, result.truncated]).toEqual([bytes, truncated]);
    expect(result.outputBytes).toBeLessThanOrEqual(DEFAULT_MAX_BYTES);
  });

  it("of a program on a place whose end is not known has the end of its screen within the bound, and its file", async () => {
    const lost = Object.assign(new Error("cut off"), { code: "PI_PLACE_LOST" });
    const artifact = { id: "a1", path: join(scratchFolder(), "raw.log") };
    const onEnd = vi.fn();
    const { result } = await run(
      async (write) => {
        await write("one\r\ntwo\r\n333\r\n");
        throw lost;
      },
      { request: { maxBytes: 6, artifact }, view: { onEnd } },
    );

    expect(result).toStrictEqual({
      output: "[cut off]\no\n333\n",
      cancelled: true,
      lost: true,
      truncated: true,
      totalLines: 3,
      totalBytes: 12,
      outputLines: 2,
      outputBytes: 6,
      artifactId: "a1",
      wallTimeMs: expect.any(Number),
    });
    expect(onEnd.mock.calls).toEqual([[{ cancelled: true, timedOut: false }]]);
    expect((await run(() => Promise.reject(lost))).result.output).toBe("[cut off]");
  });

  it("has as much of it in its file as the request allows, and says that this is not all", async () => {
    const artifact = { id: "a1", path: join(scratchFolder(), "raw.log") };
    const request = { maxBytes: 6, artifact, artifactMaxBytes: 7 };
    const { result } = await run(writes("one\r\ntwo\r\n333\r\n"), { request });

    expect(result).toMatchObject({ truncated: true, artifactError: expect.stringContaining("7") });
    expect(result).not.toHaveProperty("artifactId");
    expect(readFileSync(artifact.path, "utf8")).toBe("one\r\ntw");
  });

  it("of a start that failed has its message alone, in bytes and lines", async () => {
    const { result } = await run(() => Promise.reject(new Error("é")));
    expect(result).toStrictEqual({
      output: "PTY error: é\n",
      cancelled: false,
      truncated: false,
      totalLines: 1,
      totalBytes: 14,
      outputLines: 1,
      outputBytes: 14,
      wallTimeMs: expect.any(Number),
    });
  });
});

it("the time of a console is that of its call, not of the process, whichever way it ends", async () => {
  const { result: ended } = await run(async () => ENDED);
  const { result: failed } = await run(() => Promise.reject(new Error("no shell")));
  for (const { wallTimeMs = -1 } of [ended, failed]) {
    expect(wallTimeMs).toBeGreaterThanOrEqual(0);
    expect(wallTimeMs).toBeLessThan(performance.now());
  }
});

it("a window can do nothing to a program that could not be started", async () => {
  let given: ConsoleControls | undefined;
  const { typed } = await run((_, controls) => {
    given = controls;
    return Promise.reject(new Error("no shell"));
  });
  expect([given?.write("x"), typed]).toEqual([false, []]);
});

describe("a program that never reports its end", () => {
  const ports = { graceMs: 20 };

  it("is given up after the grace that the console has, and not before", async () => {
    await run(async () => ENDED);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const started = vi.fn();
    const ended = vi.fn();
    const never = (): Promise<PtyEnd> => {
      started();
      return new Promise(() => undefined);
    };
    void run(never, { ports, request: { timeoutMs: 30 } }).then(ended);
    const giveUp = performance.now() + 20_000;
    while (started.mock.calls.length === 0 && performance.now() < giveUp) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await vi.advanceTimersByTimeAsync(49);
    expect([started.mock.calls.length, ended.mock.calls.length]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(1_001);
    expect(ended).toHaveBeenCalledTimes(1);
  });

  it("is given up after its deadline, with what was on the screen, and its window is notified", async () => {
    const onEnd = vi.fn();
    const { result } = await run(
      async (write) => {
        await write("seen\r\n");
        return new Promise<PtyEnd>(() => undefined);
      },
      { ports, request: { timeoutMs: 20 }, view: { onEnd } },
    );
    expect(result).toMatchObject({ output: "seen\n", cancelled: true, timedOut: true });
    expect(onEnd.mock.calls).toEqual([[{ cancelled: false, timedOut: true }]]);
  });

  it.each<[string, (call: AbortController, controls: ConsoleControls) => void]>([
    ["an abort of its call", (call) => call.abort()],
    ["its window", (_, controls) => controls.kill()],
  ])("is given up after it was ended by %s", async (_, end) => {
    const call = new AbortController();
    const onEnd = vi.fn();
    const { result } = await run(
      (__, controls) => {
        setImmediate(() => end(call, controls));
        return new Promise<PtyEnd>(() => undefined);
      },
      { ports, request: { signal: call.signal }, view: { onEnd } },
    );
    expect(result).toMatchObject({ output: "", cancelled: true });
    expect(result).not.toHaveProperty("timedOut");
    expect(onEnd.mock.calls).toEqual([[{ cancelled: true, timedOut: false }]]);
  });
});
