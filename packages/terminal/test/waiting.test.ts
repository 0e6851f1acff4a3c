/** The rules by which a quiet terminal is judged, each beside what it must not take for a wait. */
import type { QuietTerminal, TerminalReader } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { terminalState, VirtualTerminal } from "../src/index.ts";

const PROGRAM = { pid: 7, name: "ask" };
const READER: TerminalReader = { ...PROGRAM, isRead: true, isTimed: false, isRelay: false, isAlone: true };
const LINES = { echo: true, canonical: true };
const RAW = { echo: false, canonical: false };

function quiet(over: Partial<QuietTerminal> = {}): QuietTerminal {
  return {
    typedBytes: 0,
    quietMs: 300,
    heldMs: 200,
    idleMs: 200,
    modes: LINES,
    readers: [READER],
    denied: [],
    stopped: [],
    isBusy: false,
    listens: false,
    ...over,
  };
}

/** Rule and kind, or the state. */
function judged(over: Partial<QuietTerminal>, line = "", isAlternate = false): string {
  const state = terminalState(quiet(over), { line, isAlternate });
  return state.state === "waiting" ? `${state.rule} ${state.kind}` : state.state;
}

const SET: TerminalReader = { ...READER, isRead: false, isAlone: false };
const TIMED: TerminalReader = { ...SET, isTimed: true };
const RELAY: TerminalReader = { ...SET, isRelay: true };

describe("a menu that is drawn with the cursor hidden", () => {
  // Node looks up after some seconds by itself: its engine has a timer.
  const IDLE = { readers: [TIMED], modes: RAW, quietMs: 700, idleMs: 600 };
  const judgedMenu = (rows: string[], over: Partial<QuietTerminal> = {}, line = "") => {
    const screen = { line, isAlternate: false, isCursorHidden: true, rows: () => rows };
    const state = terminalState(quiet({ ...IDLE, ...over }), screen);
    return state.state === "waiting" ? `${state.rule} ${state.kind}` : state.state;
  };

  it("waits where a choice or a question stands last on the screen", () => {
    expect(judgedMenu(["? Pick a color …", "▸ red", "  green"])).toBe("S6 key");
    expect(judgedMenu(["◆  What is your name?", "│  _", "└"])).toBe("S6 key");
    expect(judgedMenu(["? Toppings", "❯◯ cheese", " ◯ ham", "", "space select"])).toBe("S6 key");
    expect(judgedMenu(["? Go on › no / yes"], {}, "? Go on › no / yes")).toBe("S6 prompt");
    expect(judgedMenu(["Which files", "  [x] a.ts", "  [ ] b.ts", ""])).toBe("S6 key");
    expect(judgedMenu(["Continue without a lock?"])).toBe("S6 key");
  });

  it("says what is asked, and asks a person for what is secret", () => {
    const state = (...rows: string[]) =>
      terminalState(quiet(IDLE), { line: "", isAlternate: false, isCursorHidden: true, rows: () => rows });
    expect(state("◆  Provide a password", "│  _", "└")).toMatchObject({
      kind: "secret",
      question: "Provide a password",
    });
    expect(state("? Name?", "? Kind of token", "❯ classic", "  new")).toMatchObject({
      kind: "key",
      question: "Kind of token",
    });
    expect(state("  [x] a.ts")).not.toHaveProperty("question");
  });

  it("does not count where none does, or where it is far above", () => {
    expect(judgedMenu(["PASS  Waiting for file changes...", "press h to show help"])).toBe("keys");
    expect(judgedMenu([])).toBe("keys");
    expect(judgedMenu(["❯ red", ...Array.from({ length: 12 }, (_, at) => `line ${at}`)])).toBe("keys");
  });

  it("does not count before it was idle for a while, in a server, or where the cursor is shown", () => {
    const menu = ["❯ red"];
    expect(judgedMenu(menu, { quietMs: 500 })).toBe("keys");
    expect(judgedMenu(menu, { idleMs: 400 })).toBe("keys");
    expect(judgedMenu(menu, { listens: true })).toBe("keys");
    expect(judgedMenu(menu, { readers: [RELAY] })).toBe("keys");
    const shown = { line: "", isAlternate: false, isCursorHidden: false, rows: () => menu };
    expect(terminalState(quiet(IDLE), shown).state).toBe("keys");
  });
});

it("a terminal knows whether its cursor is shown", async () => {
  const screen = new VirtualTerminal();
  const isHidden = async (written: string) => {
    await screen.write(written);
    return screen.promptScreen.isCursorHidden;
  };
  expect(await isHidden("")).toBe(false);
  expect(await isHidden("\x1b[?25l")).toBe(true);
  expect(await isHidden("\x1b[?7l\x1b[?12h")).toBe(true);
  expect(await isHidden("\x1b[?12;25h")).toBe(false);
  expect(await isHidden("\x1b[?25l\x1b[!p")).toBe(false);
  expect(await isHidden("\x1b[?25l\x1bc")).toBe(false);
  screen.dispose();
});

describe("a reader without a time", () => {
  it("waits from 0.3 s on, when it is in the same call in two looks", () => {
    expect(judged({})).toBe("S1 line");
    expect(judged({ quietMs: 200 })).toBe("keys");
    expect(judged({ heldMs: 0 })).toBe("keys");
  });

  it("waits beside something that runs only after a second, and after a text", () => {
    expect(judged({ isBusy: true }, "name: ")).toBe("keys");
    expect(judged({ isBusy: true, quietMs: 1_000 }, "name: ")).toBe("S1b line");
    expect(judged({ isBusy: true, quietMs: 60_000 })).toBe("keys");
  });

  it("waits by a set of descriptors where there is a text, a screen, or nothing else in the set", () => {
    expect(judged({ readers: [SET], modes: RAW }, ">>> ")).toBe("S2 prompt");
    expect(judged({ readers: [SET], modes: RAW }, "", true)).toBe("S2 screen");
    expect(judged({ readers: [{ ...SET, isAlone: true }], modes: RAW })).toBe("S2 key");
    expect(judged({ readers: [SET], modes: RAW })).toBe("keys");
  });

  it("waits by a set of descriptors beside something that runs only after a second, and where a text asks", () => {
    const shell = { readers: [SET], modes: RAW, isBusy: true };
    expect(judged({ ...shell, quietMs: 1_000 }, "me@here ~# ")).toBe("S1b prompt");
    expect(judged({ ...shell, quietMs: 999 }, "me@here ~# ")).toBe("keys");
    expect(judged({ ...shell, quietMs: 1_000 }, "12 modules")).toBe("keys");
    // Alone at rest it is found sooner, and by the other rule.
    expect(judged({ ...shell, isBusy: false, quietMs: 1_000 }, "me@here ~# ")).toBe("S2 prompt");
  });

  it("waits by a set of descriptors with the cursor before a text of its row", () => {
    const of = (row: string, over: Partial<QuietTerminal> = {}) => {
      const state = terminalState(quiet({ readers: [SET], modes: RAW, ...over }), {
        line: "",
        row,
        isAlternate: false,
      });
      return state.state === "waiting" ? `${state.rule} ${state.kind}` : state.state;
    };
    expect([of("? Token"), of("name"), of("   ")]).toEqual(["S2 secret", "S2 key", "keys"]);
    // Progress that is drawn over itself does not ask.
    expect(of("building 50%", { readers: [TIMED], quietMs: 5_000, idleMs: 5_000 })).toBe("keys");
    expect(of("building 50%", { isBusy: true, quietMs: 5_000 })).toBe("keys");
    expect(of("building 50%", { readers: [READER], isBusy: true, quietMs: 5_000 })).toBe("keys");
  });

  it("does not count in a program that listens on a port, unless it asks", () => {
    expect(judged({ listens: true }, "ready in 300 ms")).toBe("keys");
    expect(judged({ listens: true }, "use another port? ")).toBe("S1 line");
    expect(judged({ listens: true, modes: { echo: false, canonical: true } })).toBe("S1 secret");
  });
});

describe("a reader that wakes up by itself or passes on", () => {
  it("waits where a text asks and nothing runs, later for another machine's text", () => {
    const idle = { modes: RAW, quietMs: 700, idleMs: 600 };
    expect(judged({ ...idle, readers: [TIMED] }, "> ")).toBe("S4 prompt");
    expect(judged({ ...idle, readers: [TIMED] }, "12 modules")).toBe("keys");
    expect(judged({ ...idle, readers: [TIMED], idleMs: 100 }, "> ")).toBe("keys");
    expect(judged({ ...idle, readers: [RELAY] }, "remote$ ")).toBe("keys");
    expect(judged({ ...idle, readers: [RELAY], quietMs: 1_000 }, "remote$ ")).toBe("S4 prompt");
  });

  it("waits with the screen for itself after three seconds, and never as a relay", () => {
    const idle = { modes: RAW, quietMs: 3_000, idleMs: 2_900 };
    expect(judged({ ...idle, readers: [TIMED] }, "", true)).toBe("S5 screen");
    expect(judged({ ...idle, readers: [RELAY] }, "", true)).toBe("keys");
  });

  it("waits with the screen for itself from one second on, once its timer went by without a change", () => {
    const after = (quietMs: number, ...timers: (number | undefined)[]) => {
      const readers = timers.map((timerMs) => (timerMs === undefined ? TIMED : { ...TIMED, timerMs }));
      return judged({ modes: RAW, quietMs, idleMs: quietMs - 100, readers }, "", true);
    };
    const [keys, screen] = ["keys", "S5 screen"];
    expect([after(1_000, 700), after(1_000, 850), after(1_000, 851)]).toEqual([screen, screen, keys]);
    expect([after(999, 700), after(1_499, 1_350), after(1_650, 1_500)]).toEqual([keys, keys, screen]);
    expect([after(3_000, 3_000), after(3_700, 3_500)], "of three seconds and more").toEqual([keys, screen]);
    expect([after(999, 8_000), after(1_000, 8_000), after(1_000, 3_501)], "a long one").toEqual([keys, screen, screen]);
    expect([after(2_999, 499), after(3_000, 15), after(1_000, 500)], "a poll").toEqual([keys, screen, screen]);
    expect([after(2_999, undefined), after(3_000, undefined)], "an unknown time").toEqual([keys, screen]);
    expect(after(1_000, 700, 1_500), "each of several").toBe(keys);
  });

  it("does not wait where it draws all over the screen with its cursor hidden and a row ends as a question does", () => {
    const screen = { line: "LOAD (2.0)", isAlternate: true, isCursorHidden: true };
    const over = { readers: [{ ...TIMED, timerMs: 100 }], modes: RAW, quietMs: 1_500, idleMs: 1_400 };
    expect(terminalState(quiet(over), screen).state).toBe("keys");
    expect(terminalState(quiet(over), { ...screen, isCursorHidden: false })).toMatchObject({ rule: "S4" });
    expect(terminalState(quiet(over), { ...screen, isAlternate: false })).toMatchObject({ rule: "S4" });
    expect(terminalState(quiet({ ...over, readers: [RELAY] }), screen).state).toBe("keys");
  });

  it("waits where a library's question stands before the cursor with its default", () => {
    const idle = { readers: [TIMED], modes: RAW, quietMs: 700, idleMs: 600 };
    expect(judged(idle, "? Project name: › vite-project")).toBe("S4 prompt");
    expect(judged(idle, "◆  Where › here")).toBe("S4 prompt");
    expect(judged(idle, "? Token › ***")).toBe("S4 secret");
    expect(judged(idle, "?? a.ts")).toBe("keys");
    expect(judged(idle, "is it ? no")).toBe("keys");
  });

  it("waits for what is not shown at once", () => {
    expect(judged({ readers: [TIMED], modes: { echo: false, canonical: true } })).toBe("S3 secret");
  });
});

describe("a program that may not be looked at", () => {
  const DENIED = { readers: [], denied: [PROGRAM] };

  it("waits where what is typed is not shown", () => {
    expect(judged({ ...DENIED, quietMs: 500, modes: { echo: false, canonical: true } })).toBe("D1 secret");
    expect(judged({ ...DENIED, quietMs: 500 }, "Password:")).toBe("running");
  });

  it("may wait where a text asks, after five seconds, which is not certain", () => {
    const late = { ...quiet(DENIED), quietMs: 5_000, idleMs: 4_900 };
    const state = terminalState(late, { line: "Continue? [y/N] ", isAlternate: false });
    expect(state).toMatchObject({ state: "waiting", rule: "D2", isCertain: false, program: PROGRAM });
  });
});

describe("what else a quiet terminal is", () => {
  it("names who is stopped, and is running where nothing is known", () => {
    expect(judged({ readers: [], stopped: [PROGRAM] })).toBe("stopped");
    expect(judged({ readers: [] }, "Password: ")).toBe("running");
  });

  it("takes a line that the program edits itself for a secret only by its text", () => {
    expect(judged({ readers: [SET], modes: RAW }, "Enter passphrase: ")).toBe("S2 secret");
    expect(judged({ readers: [SET], modes: RAW }, "secret santa> ")).toBe("S2 secret");
    expect(judged({ readers: [SET], modes: RAW }, "pinned> ")).toBe("S2 prompt");
  });
});

describe("the line before the cursor", () => {
  it("is the row up to the cursor, also where it was drawn again", async () => {
    const screen = new VirtualTerminal({ cols: 40, rows: 5 });
    await screen.write("first\r\nold text here\r\u001b[KName: [ada] rest\u001b[5D");
    expect(screen.lineBeforeCursor()).toBe("Name: [ada]");
    screen.dispose();
  });
});
