/** What reports of a quiet terminal say of now, and what of before. */
import type { QuietTerminal } from "@pi-bash/contract";
import type { TerminalState } from "@pi-bash/terminal";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TerminalFacts } from "../src/tty/terminal-state.ts";

const quiet = (quietMs: number): QuietTerminal => ({
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
});
const SCREEN = { line: "Name: ", isAlternate: false };
const waits = ({ quietMs }: QuietTerminal): TerminalState => ({
  state: "waiting",
  kind: "line",
  program: { pid: 7, name: "bash" },
  sinceMs: quietMs,
  isCertain: true,
  rule: "S1",
});

describe("a report of a quiet terminal", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  const facts = () => new TerminalFacts(waits, (text) => text);

  it("that is of before something was typed says nothing", () => {
    const known = facts();
    vi.advanceTimersByTime(400);
    known.activity(true);
    vi.advanceTimersByTime(100);
    known.activity(false);

    expect(known.report(quiet(300), SCREEN)).toBe(false);
    expect(known.waiting).toBeUndefined();
    vi.advanceTimersByTime(300);
    expect(known.report(quiet(300), SCREEN)).toBe(true);
    expect(known.waiting).toMatchObject({ kind: "line", program: "bash", prompt: "Name:" });
  });

  it("counts after a second where nothing answered what was typed, not even its echo", () => {
    const known = facts();
    known.activity(true);
    vi.advanceTimersByTime(700);
    expect(known.report(quiet(700), SCREEN)).toBe(false);
    vi.advanceTimersByTime(300);
    expect(known.report(quiet(1_000), SCREEN)).toBe(true);
  });

  it("gives a prompt another number when something was typed in between", () => {
    const known = facts();
    vi.advanceTimersByTime(300);
    known.report(quiet(300), SCREEN);
    const first = known.prompt;
    known.report(quiet(300), SCREEN);
    expect(known.prompt).toBe(first);

    known.activity(true);
    known.activity(false);
    vi.advanceTimersByTime(300);
    known.report(quiet(300), SCREEN);
    expect(known.prompt).toBe(first + 1);
  });
});
