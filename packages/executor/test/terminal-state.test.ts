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

describe("who reads a terminal", () => {
  const program = { pid: 7, name: "vim" };
  const states: [string, TerminalState, object | undefined][] = [
    ["a program that runs", { state: "running" }, undefined],
    ["a program that takes single keys", { state: "keys", program }, program],
    ["a program that waits for a line", { ...waits(quiet(300)), program } as TerminalState, program],
    ["programs that are stopped", { state: "stopped", programs: [program] }, undefined],
  ];
  it.each(states)("is known of %s", (_, state, reader) => {
    const known = new TerminalFacts(
      () => state,
      (text) => text,
    );
    known.report(quiet(0), SCREEN);

    expect(known.reader).toEqual(reader && { ...reader, isDenied: false });
    expect(known.waiting === undefined).toBe(state.state !== "waiting");
    known.activity(false);
    expect(known.reader).toBeUndefined();
  });

  it.each(states)("is a program that may not be looked into, where there is one beside %s", (_, state) => {
    const known = new TerminalFacts(
      () => state,
      (text) => text,
    );
    known.report({ ...quiet(0), denied: [{ pid: 9, name: "sudo" }] } as QuietTerminal, SCREEN);

    expect(known.reader).toEqual({ pid: 9, name: "sudo", isDenied: true });
  });

  it.each([
    ["shown", { echo: true, canonical: true }, undefined, false],
    ["not shown in a line without an echo", { echo: false, canonical: true }, undefined, true],
    ["shown by a program that draws itself", { echo: false, canonical: false }, undefined, false],
    ["shown where a line is asked for", { echo: true, canonical: true }, "line", false],
    ["not shown where a secret is asked for", { echo: true, canonical: true }, "secret", true],
  ])("what is typed is %s", (_, modes, kind, isHidden) => {
    const known = new TerminalFacts(
      (report) => (kind === undefined ? { state: "running" } : ({ ...waits(report), kind } as TerminalState)),
      (text) => text,
    );
    expect(known.isHidden).toBe(false);
    known.report({ ...quiet(0), modes }, SCREEN);

    expect(known.isHidden).toBe(isHidden);
  });
});

describe("what waits for input", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  const judged = (state: object, mask = (text: string) => text) =>
    new TerminalFacts((report) => ({ ...waits(report), ...state }) as TerminalState, mask);

  it.each<[string, object, object]>([
    ["asks what stands before the cursor", {}, { kind: "line", prompt: "Name:", certain: true }],
    ["asks its question where it has one", { question: "Sure?" }, { prompt: "Sure?" }],
    ["may wait", { isCertain: false }, { certain: false }],
    ["has its name written out", { program: { pid: 7, name: "b\u001bsh" } }, { program: "b\\u{1b}sh" }],
  ])("%s", (_, state, waiting) => {
    const known = judged(state);
    known.report(quiet(0), SCREEN);

    expect(known.waiting).toMatchObject(waiting);
  });

  it("has no prompt where it has the whole screen, or where nothing stands before the cursor", () => {
    const whole = judged({ kind: "screen" });
    whole.report(quiet(0), SCREEN);
    expect(whole.waiting).not.toHaveProperty("prompt");
    const blank = judged({});
    blank.report(quiet(0), { line: "", isAlternate: false });
    expect(blank.waiting).not.toHaveProperty("prompt");
  });

  it("asks at most 200 characters, the last ones, and no secrets", () => {
    const known = judged({}, (text) => text.replaceAll("token", "[masked]"));
    known.report(quiet(0), { line: `${"x".repeat(300)} token?`, isAlternate: false });
    const prompt = known.waiting?.prompt ?? "";

    expect(prompt.endsWith(" [masked]?")).toBe(true);
    expect(prompt.length).toBe(200);
  });

  it("waits for as long as the report says, and longer as time passes", () => {
    const known = judged({});
    vi.advanceTimersByTime(300);
    known.report(quiet(250), SCREEN);
    expect(known.waiting?.since_ms).toBe(300);
    vi.advanceTimersByTime(1_000);
    expect(known.waiting?.since_ms).toBe(1_300);
    const later = judged({ sinceMs: 900.4 });
    later.report(quiet(0), SCREEN);
    expect(later.waiting?.since_ms).toBe(900);
  });

  it("takes a report that is off by 20 ms, and none that is off by more", () => {
    const known = judged({});
    known.activity(true);
    known.activity(false);
    expect(known.report(quiet(21), SCREEN)).toBe(false);
    expect(known.report(quiet(20), SCREEN)).toBe(true);
  });

  it("is numbered by what it asks, not by what only may wait", () => {
    const state = { now: {} as object };
    const known = new TerminalFacts(
      (report) => ({ ...waits(report), ...state.now }) as TerminalState,
      (text) => text,
    );
    const numbers = [
      { isCertain: false },
      {},
      {},
      { kind: "secret" },
      { program: { pid: 8, name: "ssh" } },
      { question: "?" },
    ].map((now) => {
      state.now = now;
      known.report(quiet(0), SCREEN);
      return known.prompt;
    });

    expect(numbers).toEqual([0, 1, 1, 2, 3, 4]);
  });

  it("is not known any more when something was written, nor is what was hidden", () => {
    const known = judged({ kind: "secret" });
    known.report({ ...quiet(0), modes: { echo: false, canonical: true } }, SCREEN);
    expect([known.waiting === undefined, known.isHidden]).toEqual([false, true]);
    known.activity(false);

    expect([known.waiting, known.isHidden]).toEqual([undefined, false]);
  });

  it("counts what is typed, and not what is written, as another prompt", () => {
    const known = judged({});
    known.report(quiet(0), SCREEN);
    known.activity(false);
    known.report(quiet(0), SCREEN);
    expect(known.prompt).toBe(1);
    known.activity(true);
    known.activity(false);
    known.report(quiet(0), SCREEN);

    expect(known.prompt).toBe(2);
  });

  it("is not known before the first report", () => {
    const known = judged({});
    expect([known.waiting, known.reader, known.isHidden, known.prompt]).toEqual([undefined, undefined, false, 0]);
  });
});
