/**
 * The looks at a client's terminal, by a clock of the test: one at a time, and shown only where there is something
 * new.
 */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ClientExit, ClientOutput } from "../src/client-bridge.ts";
import { runInClientTerminal } from "../src/client-terminal.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A run whose client gives these outputs, the last one again and again; `never` gives none. */
function looking(...outputs: (ClientOutput | "never")[]) {
  let asked = 0;
  const shown: unknown[] = [];
  let exit: (exit: ClientExit) => void = () => undefined;
  const terminal = {
    terminalId: "term-1",
    waitForExit: () =>
      new Promise<ClientExit>((resolve) => {
        exit = resolve;
      }),
    currentOutput: () => {
      const output = outputs[Math.min(asked, outputs.length - 1)];
      asked += 1;
      return output === undefined || output === "never" ? new Promise<never>(() => undefined) : Promise.resolve(output);
    },
    kill: async () => undefined,
    release: async () => undefined,
  };
  const run = runInClientTerminal({
    create: async () => terminal,
    request: { command: "bash", args: [], env: [], cwd: "/", outputByteLimit: 1_000 },
    timeoutMs: 60_000,
    signal: undefined,
    updates: { show: (text) => void shown.push(text) },
    maxBytes: 1_000,
    mask: undefined,
  });
  return {
    run,
    shown,
    asked: () => asked,
    end: async () => {
      exit({ exitCode: 0 });
      await vi.advanceTimersByTimeAsync(10_000);
      return run;
    },
  };
}

const output = (text: string): ClientOutput => ({ output: text, truncated: false });

it("a client that does not answer is not asked twice while its program runs", async () => {
  const { asked, end } = looking("never");
  await vi.advanceTimersByTimeAsync(2_000);
  expect(asked()).toBe(1);
  expect((await end()).result).toMatchObject({ output: "", exitCode: 0, cancelled: false });
  expect(vi.getTimerCount()).toBe(0);
});

it("what is the same, and what is nothing, is not shown again", async () => {
  const { shown, end } = looking(output(""), output("a"), output("a"), output("b"));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(shown).toEqual([undefined, "a", "b"]);
  expect((await end()).result.output).toBe("b");
});

it("the last look before the end counts where the one after it has no answer", async () => {
  const { end } = looking(output("a"), "never");
  await vi.advanceTimersByTimeAsync(600);
  expect((await end()).result.output).toBe("a");
});

it("a deadline ends it, and the lines of its output are counted", async () => {
  const { run, end } = looking(output("a\nb\n"));
  await vi.advanceTimersByTimeAsync(61_000);
  const { result } = await run;
  expect(result).toMatchObject({ cancelled: true, timedOut: true, totalLines: 2, totalBytes: 4, output: "a\nb\n" });
  expect(result).not.toHaveProperty("exitCode");
  await end();
});
