/** Following a job that runs on a terminal: it is attended, and a prompt that is new ends the wait. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TaskTerminal } from "../src/tty/terminal-port.ts";
import { followed, turns } from "./support/follow-entry.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

describe("a job on a terminal", () => {
  function onTerminal(more: Partial<TaskTerminal> = {}) {
    const made = followed();
    const state = { lines: [] as string[], unfinished: "Name: ", ended: 0 };
    const terminal = {
      isOver: false,
      prompt: 1,
      reportedPrompt: 0,
      waiting: undefined as unknown,
      newLines: (place: unknown) => ({
        lines: state.lines.slice(Number(place ?? 0)),
        unfinished: state.unfinished,
        isIncomplete: false,
      }),
      placeNow: () => state.lines.length,
      attend: () => () => {
        state.ended += 1;
      },
      ...more,
    };
    made.log.terminal = terminal as unknown as TaskTerminal;
    const certain = { kind: "line", program: "bash", since_ms: 0, certain: true };
    return { ...made, state, terminal, certain };
  }

  it("is attended while it is followed", async () => {
    const { follow, state } = onTerminal();
    const report = await follow({ timeoutMs: 0 });
    expect(state.ended).toBe(0);
    report.release();

    expect(state.ended).toBe(1);
  });

  it("wakes a wait for its end by a new prompt, once, which its owner then has been given", async () => {
    const { seen, terminal, certain, log } = onTerminal();
    const found = seen({ wakesOnOutput: false });
    await turns();
    expect(found.text).toBeUndefined();
    terminal.waiting = certain;
    log.changed();
    (await found.waiting).commit();
    expect([found.text, terminal.reportedPrompt]).toEqual(["Name: \n", 1]);

    const next = seen({ wakesOnOutput: false });
    log.changed();
    await turns();
    expect(next.text).toBeUndefined();
    terminal.prompt = 2;
    log.changed();
    expect((await next.waiting).output.text).toBe("Name: \n");
  });

  it("notes no prompt as its owner's where another reader was given it", async () => {
    const { follow, terminal, certain } = onTerminal();
    terminal.waiting = certain;
    (await follow({ reader: "you" })).commit();
    expect(terminal.reportedPrompt).toBe(0);
  });

  it("wakes by a known prompt only whoever asks for that", async () => {
    const { follow, seen, terminal, certain, log } = onTerminal();
    terminal.waiting = certain;
    (await follow()).commit();
    const patient = seen();
    await turns();
    expect(patient.text).toBeUndefined();
    await vi.advanceTimersByTimeAsync(60_000);
    (await patient.waiting).commit();

    (await follow({ wakesOnWaiting: true })).commit();
    terminal.waiting = { ...certain, certain: false };
    const unsure = seen({ wakesOnWaiting: true });
    log.changed();
    await turns();
    expect(unsure.text).toBeUndefined();
    await vi.advanceTimersByTimeAsync(60_000);
    (await unsure.waiting).release();
  });
});
