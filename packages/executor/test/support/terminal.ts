/**
 * A task's terminal without a program: its device and its record note what they are asked for.
 */
import type { QuietTerminal } from "@pi-bash/contract";
import { type TerminalState, VirtualTerminal } from "@pi-bash/terminal";
import type { PtyDevice } from "../../src/console/console-port.ts";
import type { TerminalRecord } from "../../src/tty/terminal-record.ts";
import { TerminalRun } from "../../src/tty/terminal-run.ts";

/** What the kernel reports of a terminal that rests for so long. */
export const quietFor = (quietMs: number, more: Partial<QuietTerminal> = {}): QuietTerminal => ({
  quietMs,
  typedBytes: 0,
  heldMs: quietMs,
  idleMs: quietMs,
  modes: { echo: true, canonical: true },
  readers: [],
  denied: [],
  stopped: [],
  isBusy: false,
  listens: false,
  ...more,
});

/** A program that waits for a line. */
export const waitsFor = (kind: "line" | "secret" | "screen", isCertain = true): TerminalState => ({
  state: "waiting",
  kind,
  program: { pid: 7, name: "bash" },
  sinceMs: 0,
  isCertain,
  rule: "S1",
});

/** The terminal; `state` is what a report is judged as. */
export function terminalScene(state: { now: TerminalState } = { now: { state: "running" } }, isRecorded = true) {
  const calls: unknown[][] = [];
  const note =
    (name: string) =>
    (...args: unknown[]) =>
      void calls.push([name, ...args]);
  const device: PtyDevice = {
    start: () => Promise.reject(new Error("it is not started")),
    write: (data) => {
      calls.push(["write", data]);
      return true;
    },
    resize: note("resize"),
    kill: note("kill"),
  };
  const record = {
    typed: note("typed"),
    resized: note("resized"),
    output: async (text: string) => note("output")(text),
  };
  const terminal = new VirtualTerminal({ cols: 80, rows: 24 });
  const run = new TerminalRun({
    device,
    terminal,
    judge: () => state.now,
    mask: (text) => text.replaceAll("token", "[masked]"),
    record: isRecorded ? (record as unknown as TerminalRecord) : undefined,
  });
  const kept: string[] = [];
  return {
    run,
    state,
    device,
    terminal,
    calls,
    kept,
    write: (text: string) => run.takeChunk(text, (masked) => void kept.push(masked)),
  };
}
