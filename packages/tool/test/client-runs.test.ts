/** A run in a client's terminal that the test plays: how it ends, what is done to the terminal, what is known then. */
import { describe, expect, it } from "vitest";
import type { ClientExit, ClientOutput, ClientTerminal } from "../src/client-bridge.ts";
import { type ClientRun, runInClientTerminal } from "../src/client-terminal.ts";
import { ToolAbortError, ToolError } from "../src/tool-error.ts";
import { thrown, until } from "./support/session.ts";

interface Played {
  output?: Partial<ClientOutput>;
  exit?: () => Promise<ClientExit>;
  terminal?: Partial<ClientTerminal>;
  run?: Partial<ClientRun>;
}

const never = () => new Promise<never>(() => undefined);

/** A terminal that wrote `output` and ends so; `done` has what was asked of it. */
function played({ output = {}, exit = async () => ({ exitCode: 0 }), terminal = {}, run = {} }: Played = {}) {
  const done: string[] = [];
  const shown: unknown[] = [];
  const made: ClientTerminal = {
    terminalId: "term-1",
    waitForExit: exit,
    currentOutput: async () => ({ output: "out\n", truncated: false, ...output }),
    kill: async () => void done.push("kill"),
    release: async () => void done.push("release"),
    ...terminal,
  };
  const running = () =>
    runInClientTerminal({
      create: async () => {
        done.push("create");
        return made;
      },
      request: { command: "bash", args: [], env: [], cwd: "/", outputByteLimit: 1_000 },
      timeoutMs: 60_000,
      signal: undefined,
      updates: { show: (text, details) => void shown.push([text, details]) },
      maxBytes: 1_000,
      mask: undefined,
      ...run,
    });
  return { done, shown, running, made };
}

describe("a run in a client's terminal", () => {
  it("ends with its program, and gives the terminal back", async () => {
    const { running, done, shown } = played();
    const { result, ...facts } = await running();
    expect(facts).toStrictEqual({ terminalId: "term-1", isTruncated: false });
    expect(result).toStrictEqual({
      output: "out\n",
      exitCode: 0,
      cancelled: false,
      truncated: false,
      totalLines: 1,
      outputLines: 1,
      totalBytes: 4,
      outputBytes: 4,
      wallTimeMs: expect.any(Number),
    });
    expect(result.wallTimeMs).toBeGreaterThanOrEqual(0);
    expect(result.wallTimeMs).toBeLessThan(20_000);
    expect(done).toEqual(["create", "release"]);
    expect(shown).toEqual([[undefined, { terminalId: "term-1" }]]);
  });

  it.each<[ClientExit, object]>([
    [{ exitCode: 3 }, { exitCode: 3 }],
    [{ exitCode: 3, signal: null }, { exitCode: 3 }],
    [
      { exitCode: null, signal: "SIGTERM" },
      { exitCode: 137, signal: "SIGTERM" },
    ],
    [
      { exitCode: 143, signal: "SIGTERM" },
      { exitCode: 143, signal: "SIGTERM" },
    ],
    [{}, {}],
  ])("has the status of its program, as far as that is known: %j", async (exit, known) => {
    const { result } = await played({ exit: async () => exit }).running();
    const { exitCode, signal } = result;
    expect({
      ...("exitCode" in result ? { exitCode } : {}),
      ...("signal" in result ? { signal } : {}),
    }).toStrictEqual(known);
    expect(result.cancelled).toBe(false);
  });

  it.each([
    ["", 0],
    ["a", 1],
    ["a\n", 1],
    ["a\nb", 2],
    ["a\nb\nc\n", 3],
    ["a\r\r\nb\r\n", 2],
    ["\u001b[31ma\u001b[0m\n", 1],
  ])("counts the lines of %j as %d", async (output, lines) => {
    const { result } = await played({ output: { output } }).running();
    expect([result.totalLines, result.outputLines]).toEqual([lines, lines]);
    for (const hidden of ["\r", "\u001b"]) expect(result.output).not.toContain(hidden);
    expect(result.totalBytes).toBe(Buffer.byteLength(result.output));
  });

  it("says where the beginning is missing: the client dropped it, or it is longer than what is shown", async () => {
    const isTruncated = async (output: Partial<ClientOutput>, maxBytes = 1_000) =>
      (await played({ output, run: { maxBytes } }).running()).isTruncated;
    expect(await isTruncated({ truncated: true })).toBe(true);
    expect(await isTruncated({ output: "12345" }, 5)).toBe(false);
    expect(await isTruncated({ output: "12345" }, 4)).toBe(true);
  });

  it("has an end that only a look at the output tells", async () => {
    const { running, done } = played({ exit: never, output: { exitStatus: { exitCode: 4 } } });
    expect((await running()).result).toMatchObject({ exitCode: 4, cancelled: false });
    expect(done).toEqual(["create", "release"]);
  });

  it("has what was seen last where the last look fails", async () => {
    let looks = 0;
    let finish: (exit: ClientExit) => void = () => undefined;
    const { running, shown } = played({
      exit: () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
      terminal: {
        currentOutput: async () => {
          looks += 1;
          if (looks > 1) throw new Error("no more");
          return { output: "seen\n", truncated: false };
        },
      },
    });
    const ending = running();
    await until(() => shown.length > 1, "a look");
    finish({ exitCode: 0 });
    expect((await ending).result).toMatchObject({ output: "seen\n", exitCode: 0 });
    expect(shown.at(-1)).toEqual(["seen\n", { terminalId: "term-1" }]);
  });

  it("that is given up ends its program before its last output is read", async () => {
    const controller = new AbortController();
    const { running, done, shown, made } = played({ exit: never, run: { signal: controller.signal } });
    const look = made.currentOutput.bind(made);
    const currentOutput = () => {
      done.push("look");
      return look();
    };
    Object.assign(made, { currentOutput });
    const ending = running();
    await until(() => shown.length > 0, "it to run");
    controller.abort();
    const { result } = await ending;
    expect(result).toMatchObject({ cancelled: true, output: "out\n" });
    for (const name of ["exitCode", "timedOut"]) expect(result).not.toHaveProperty(name);
    expect(done.filter((each) => each !== "look")).toEqual(["create", "kill", "release"]);
    expect(done.indexOf("look", done.indexOf("kill"))).toBeGreaterThan(0);
  });

  it("that reaches its deadline says so", async () => {
    const { running, done } = played({ exit: never, run: { timeoutMs: 20 } });
    expect((await running()).result).toMatchObject({ cancelled: true, timedOut: true });
    expect(done).toEqual(["create", "kill", "release"]);
  });

  it("that breaks is a failure with what was written, and the terminal is given back", async () => {
    const breaks = { exit: () => Promise.reject(new Error("connection lost")) };
    const { running, done } = played(breaks);
    const error = await thrown(running());
    expect(error).toBeInstanceOf(ToolError);
    expect(error.message).toBe("out\n\n\nClient terminal failed: connection lost");
    expect(error.details).toEqual({ terminalId: "term-1" });
    expect(done).toEqual(["create", "kill", "release"]);
    const silent = await thrown(played({ ...breaks, output: { output: "" } }).running());
    expect(silent.message).toBe("Client terminal failed: connection lost");
  });
});

describe("a terminal that is not made", () => {
  it("is not asked for where the call was given up", async () => {
    const { running, done } = played({ run: { signal: AbortSignal.abort() } });
    expect(await thrown(running())).toBeInstanceOf(ToolAbortError);
    expect(done).toEqual([]);
  });

  it("is a failure with the client's reason", async () => {
    const error = await thrown(played({ run: { create: () => Promise.reject(new Error("no room")) } }).running());
    expect(error).toBeInstanceOf(ToolError);
    expect(error.message).toBe("Client terminal cannot be created: no room");
    expect(error.cause).toBeInstanceOf(Error);
  });

  it("in time is not waited for, and is ended and given back when it comes", async () => {
    let make: (terminal: ClientTerminal) => void = () => undefined;
    const create = () =>
      new Promise<ClientTerminal>((resolve) => {
        make = resolve;
      });
    const { running, done, made } = played({ run: { timeoutMs: 20, create } });
    const { result, ...facts } = await running();
    expect(facts).toStrictEqual({ terminalId: undefined, isTruncated: false });
    expect(result).toMatchObject({ output: "", cancelled: true, timedOut: true, totalLines: 0 });
    expect(done).toEqual([]);
    make(made);
    await until(() => done.length === 2, "it to be given back");
    expect(done).toEqual(["kill", "release"]);
  });
});
