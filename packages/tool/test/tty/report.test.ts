/**
 * What a model reads of a terminal: who waits and what for, the screen, how to answer; and when its owner is notified.
 */
import type { TaskAwaitEntry } from "@pi-bash/contract";
import type { JobManager } from "@pi-bash/executor";
import { describe, expect, it } from "vitest";
import { notifyOwner } from "../../src/tasks/tty-news.ts";
import { endedText, isSameScreen, terminalEntry, terminalHead, waitingNews } from "../../src/tasks/tty-report.ts";
import { jobOf } from "../support/facts.ts";
import { playedTerminal, SCREEN } from "../support/played-terminal.ts";

type Running = Extract<TaskAwaitEntry, { status: "running" }>;
const LINE = { kind: "line", program: "rm", since_ms: 1_250, prompt: 'sure "?"', certain: true } as const;
const ANSWER = 'Answer with task_send({"task_id":"bash:bg_1","text":"…"}), or end it with task_terminate.';

const head = (facts: Partial<Running>): string[] | undefined =>
  terminalHead({ status: "running", taskId: "bash:bg_1", ...facts })?.split("\n");

describe("the facts of a terminal", () => {
  it("are none without one, and of one whose program has ended", () => {
    expect(terminalEntry(undefined, true)).toStrictEqual({});
    expect(terminalEntry(playedTerminal({ isOver: true }).terminal, true)).toStrictEqual({});
  });

  it("have the screen where it is wanted, or a program has drawn it", () => {
    const { terminal, set } = playedTerminal();
    const { waiting } = terminal;
    expect(terminalEntry(terminal, false)).toStrictEqual({ waiting });
    expect(terminalEntry(terminal, true)).toStrictEqual({ waiting, screen: SCREEN });
    set({ isDrawn: true, waiting: undefined, holder: "person" });
    expect(terminalEntry(terminal, false)).toStrictEqual({ screen: SCREEN, holder: "person" });
  });
});

describe("the head of an answer", () => {
  it("is that of any task where the terminal has nothing to say", () => {
    expect(head({})).toBeUndefined();
  });

  it("says who has the terminal, and nothing else then", () => {
    expect(head({ holder: "person", waiting: LINE, screen: SCREEN })).toStrictEqual([
      "### Task bash:bg_1: a person has the terminal",
      "What you send is refused until it is handed back; you are notified then.",
    ]);
  });

  it("says what is asked, and how to answer", () => {
    expect(head({ waiting: LINE })).toStrictEqual([
      "### Task bash:bg_1: waiting for input (line) after 1.3 s",
      '`rm` asks: "sure \\"?\\""',
      ANSWER,
    ]);
    const { prompt: _, ...silent } = LINE;
    expect(head({ waiting: silent })).toStrictEqual([
      "### Task bash:bg_1: waiting for input (line) after 1.3 s",
      "`rm` reads the terminal.",
      ANSWER,
    ]);
  });

  it("does not claim to know where the system does not say so", () => {
    expect(head({ waiting: { ...LINE, certain: false } })).toStrictEqual([
      "### Task bash:bg_1: may wait for input (line) after 1.3 s",
      '`rm` asks: "sure \\"?\\""',
    ]);
  });

  it("leaves a secret to a person", () => {
    expect(head({ waiting: { ...LINE, kind: "secret" } })).toStrictEqual([
      "### Task bash:bg_1: waiting for a secret",
      '`rm` asks: "sure \\"?\\""',
      "A person has to type it; text from you is refused. The host was notified. task_await returns when it goes on.",
    ]);
  });

  it("of a full-screen program says where the cursor is", () => {
    const screen = { ...SCREEN, alternate: true };
    expect(head({ screen })).toEqual(["### Task bash:bg_1: full-screen program, cursor row 3 column 5, 80x24"]);
    expect(head({ screen, waiting: { ...LINE, program: "vi" } })).toStrictEqual([
      "### Task bash:bg_1: full-screen program `vi`, cursor row 3 column 5, 80x24",
    ]);
    expect(head({ waiting: { ...LINE, kind: "screen" } })).toEqual(["### Task bash:bg_1: full-screen program `rm`"]);
  });

  it("of a drawn screen has its title and what is chosen on it", () => {
    const screen = { ...SCREEN, title: 'a "b"', highlighted: ["one", "two"] };
    const facts = ["screen: cursor row 3 column 5, 80x24", 'title: "a \\"b\\""', 'highlighted: "one", "two"'];
    expect(head({ screen })).toEqual(["### Task bash:bg_1: running", ...facts]);
    expect(head({ screen, waiting: LINE })?.slice(3)).toEqual(facts);
  });
});

describe("a screen that a reader knows", () => {
  it("is the same only for this reader, and only until anything of it changes", () => {
    const { terminal } = playedTerminal();
    expect(isSameScreen(terminal, "a", SCREEN)).toBe(false);
    expect(isSameScreen(terminal, "a", SCREEN)).toBe(true);
    expect(isSameScreen(terminal, "b", SCREEN)).toBe(false);
    expect(isSameScreen(playedTerminal().terminal, "a", SCREEN)).toBe(false);
    for (const change of [{ text: "x" }, { row: 9 }, { col: 9 }, { highlighted: ["x"] }]) {
      expect(isSameScreen(terminal, "a", { ...SCREEN, ...change })).toBe(false);
      expect(isSameScreen(terminal, "a", SCREEN)).toBe(false);
    }
    expect(isSameScreen(terminal, "a", { ...SCREEN, highlighted: [] })).toBe(true);
  });

  it("is remembered of the last sixteen readers", () => {
    const { terminal } = playedTerminal();
    for (let at = 0; at < 16; at += 1) isSameScreen(terminal, `r${at}`, SCREEN);
    expect(isSameScreen(terminal, "r0", SCREEN)).toBe(true);
    isSameScreen(terminal, "r16", SCREEN);
    expect(isSameScreen(terminal, "r0", SCREEN)).toBe(true);
    expect(isSameScreen(terminal, "r2", SCREEN)).toBe(true);
    expect(isSameScreen(terminal, "r1", SCREEN)).toBe(false);
  });
});

it.each([
  [{ endedAtMs: 3_000, exitCode: 2, signal: "SIGHUP" }, "bash:bg_1 has ended (exit code 2, 4 s ago)."],
  [{ endedAtMs: 3_000, signal: "SIGHUP" }, "bash:bg_1 has ended (killed by SIGHUP, 4 s ago)."],
  [{ endedAtMs: 9_000 }, "bash:bg_1 has ended (0 s ago)."],
  [{}, "bash:bg_1 has ended (0 s ago)."],
])("a task that takes nothing says how it ended: %j", (more, text) => {
  expect(endedText("bash:bg_1", jobOf(more), 7_000)).toBe(text);
});

it("there is news of a terminal only where a program waits", () => {
  const { terminal, set } = playedTerminal({ isDrawn: true });
  expect(waitingNews("bash:bg_1", terminal)).toMatch(/^### Task bash:bg_1: waiting for input \(line\) after 1\.2 s\n/);
  set({ isDrawn: false });
  expect(waitingNews("bash:bg_1", terminal)).not.toContain("screen:");
  set({ waiting: undefined });
  expect(waitingNews("bash:bg_1", terminal)).toBeUndefined();
});

describe("the owner of a task", () => {
  /** What reaches an owner. */
  function owner(facts: Parameters<typeof playedTerminal>[0] = {}) {
    const played = playedTerminal(facts);
    const news: string[] = [];
    const ports: Pick<JobManager, "announce" | "withdraw"> = {
      announce: (id, { key, text }) =>
        void news.push(`${id} ${key}: ${typeof text === "string" ? text.split("\n")[0] : "?"}`),
      withdraw: (id, key) => void news.push(`${id} ${key} withdrawn`),
    };
    // Only these two are asked for.
    notifyOwner(ports as JobManager, "bg_1", played.terminal);
    return { ...played, take: () => news.splice(0) };
  }
  const asked = "bg_1 waiting: ### Task bash:bg_1: waiting for input (line) after 1.2 s";

  it("is notified once of each prompt", () => {
    const { take, set } = owner();
    expect(take()).toEqual([asked]);
    set({});
    expect(take()).toEqual([]);
    set({ prompt: 2 });
    expect(take()).toEqual([asked]);
  });

  it("is not notified of what is not certain, and what was said before is taken back", () => {
    const { take, set, terminal } = owner({ waiting: { ...LINE, certain: false } });
    expect(take()).toEqual(["bg_1 waiting withdrawn"]);
    set({ waiting: undefined, prompt: 2 });
    expect(take()).toEqual(["bg_1 waiting withdrawn"]);
    expect(terminal.reportedPrompt).toBe(0);
  });

  it("is not notified while a caller looks after it, but afterwards", () => {
    const { take, set, terminal } = owner({ waiting: undefined });
    take();
    const unattend = terminal.attend();
    set({ waiting: LINE, prompt: 3 });
    expect(take()).toEqual([]);
    unattend();
    set({});
    expect(take()).toHaveLength(1);
  });

  it("is notified when a person hands it back, and not while one has it", () => {
    const { take, set } = owner({ holder: "person" });
    expect(take()).toEqual([]);
    set({});
    set({ holder: undefined });
    expect(take()).toEqual(["bg_1 holder: A person handed bash:bg_1 back after 0 s.", asked]);
    set({});
    expect(take()).toEqual([]);
  });

  it("is notified of nothing after the end", () => {
    const { take, set, listeners } = owner();
    take();
    set({ isOver: true, prompt: 2 });
    expect(take()).toEqual(["bg_1 waiting withdrawn"]);
    expect(listeners()).toBe(0);
  });
});
