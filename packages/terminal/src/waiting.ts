/**
 * Whether a program on a terminal waits for a person: the facts of the kernel beside the text on the screen.
 *
 * The rules and their times were measured on real programs; docs/waiting.md has the counts and how often they are right. A
 * program can pretend to wait, and can hide it: nothing but what a model or a person reads may depend on the answer.
 */
import type { QuietTerminal, TerminalProgram, TerminalReader } from "@pi-bash/contract";
import { PTY_COLUMNS_RANGE } from "@pi-bash/contract/internal";

/**
 * What a program waits for.
 *
 * - `line`: a line that the kernel edits
 * - `secret`: a line that is not shown
 * - `prompt`: the program edits what is typed, after a text of its own
 * - `key`: the same without a text
 * - `screen`: it has the screen for itself, as an editor does
 */
export type WaitingKind = "line" | "secret" | "prompt" | "key" | "screen";

/** Which rule of docs/waiting.md decided. */
export type WaitingRule = "S1" | "S1b" | "S2" | "S3" | "S4" | "S5" | "S6" | "D1" | "D2";

/** What a quiet terminal does. */
export type TerminalState =
  | {
      readonly state: "waiting";
      readonly kind: WaitingKind;
      /** What a program asks that does not show its cursor, where it does not stand before the cursor. */
      readonly question?: string;
      /** Who waits. */
      readonly program: TerminalProgram;
      /** Milliseconds since the last byte. */
      readonly sinceMs: number;
      /** False: it may wait; the kernel does not say so. */
      readonly isCertain: boolean;
      readonly rule: WaitingRule;
    }
  /** A program would take keys and does not wait for one: a server, a viewer of what changes. */
  | { readonly state: "keys"; readonly program: TerminalProgram }
  /** Programs in the background are stopped: they may want the terminal. */
  | { readonly state: "stopped"; readonly programs: readonly TerminalProgram[] }
  | { readonly state: "running" };

/** What of a screen counts. */
export interface PromptScreen {
  /** The cursor's row up to the cursor. */
  readonly line: string;
  /** The whole row of the cursor. Default: `line`. */
  readonly row?: string;
  /** A program has the screen for itself. */
  readonly isAlternate: boolean;
  /** The program does not show its cursor. Default: it does. */
  readonly isCursorHidden?: boolean;
  /** The rows of the screen from the top. Called where the cursor is hidden. Default: none are looked at. */
  readonly rows?: () => readonly string[];
}

/** How a text ends after which programs wait. The only place. */
const PROMPT = /(?:[?:>$#%\])]|\(END\)|\(y\/n\)|\[y\/n\].*|pass(?:word|phrase).*:|press .*(?:key|enter).*)\s*$/iu;

/** A program that edits its line itself and asks for what is not to be shown. */
const SECRET = /pass(?:word|phrase)|\bpin\b|\botp\b|token|secret/iu;

/** A choice of a menu, as the common libraries of prompts draw it: a mark, behind the bar that some draw at the side. */
const CHOICE = /^[\s│┃|]*(?:[❯›▸▶►●◉○◯◻◼☐☑] ?\S|> \S|[([][ x*][)\]] \S)/u;

/** A question as the common libraries of prompts begin it. A default may stand behind it: `? Name › app`. */
const MARKED_QUESTION = /^[\s│┃|]*[?◆] {1,2}\S/u;

/** The question of a menu or an input: a mark before it, or a question mark at its end. */
const QUESTION = new RegExp(`${MARKED_QUESTION.source}|\\?\\s*$`, "u");

/** What stands before a question's words. */
const QUESTION_MARKS = /^[\s│┃|]*[?◆]?\s*/u;

/** Rows that are looked at for it, from the last one with a text upwards: a menu is the last thing on the screen. */
const MENU_ROWS = 12;

/** Longest text that is matched, in characters: a row of the widest terminal. */
const MAX_LINE = PTY_COLUMNS_RANGE.max;

/**
 * A reader in the same call in two looks: the second one is 0.2 s after the first, and timers are late rather than early by
 * some milliseconds.
 */
const HELD_MS = 150;

/** Without a byte for so long, in milliseconds, the rule may decide. */
const AFTER_MS: Readonly<Record<WaitingRule, number>> = {
  S1: 300,
  S1b: 1_000,
  S2: 300,
  S3: 300,
  S4: 600,
  S5: 1_000,
  S6: 600,
  D1: 500,
  D2: 5_000,
};

/** The same for `S4` where a text comes from another machine. */
const RELAY_MS = 1_000;

/**
 * A program with the screen for itself that looks up by a timer of its own may draw when it does (`htop` each 1.5 s, `top` each
 * 3 s). It is given that time, and some milliseconds to draw. A timer below the shortest is a poll, which says nothing of when it
 * draws: such a program has so long as a poll. One above the longest is not waited for. In milliseconds.
 */
const TIMERS_MS = { shortest: 500, longest: 3_500, draws: 150, poll: 3_000 };

/** Time without use of a processor after which a program counts as idle, in milliseconds. */
const IDLE_MS = 500;

/** Judges a report of `PtySession` (`onQuiet`) with the screen as it stands. */
export function terminalState(quiet: QuietTerminal, screen: PromptScreen): TerminalState {
  const look = new Look(quiet, screen);
  return look.ofReaders() ?? look.ofDenied() ?? look.ofOthers();
}

class Look {
  readonly #quiet: QuietTerminal;
  readonly #line: string;
  /** The line, or what stands behind a cursor at the begin of its row. */
  readonly #text: string;
  readonly #isAlternate: boolean;
  readonly #screen: PromptScreen;

  constructor(quiet: QuietTerminal, screen: PromptScreen) {
    const { line, row = line, isAlternate } = screen;
    this.#screen = screen;
    this.#quiet = quiet;
    this.#line = line.trimEnd().slice(-MAX_LINE);
    this.#text = line === "" ? row.trimEnd().slice(0, MAX_LINE) : this.#line;
    this.#isAlternate = isAlternate;
  }

  /** What the kernel says. */
  ofReaders(): TerminalState | undefined {
    const { readers, listens } = this.#quiet;
    const held = readers.find((reader) => this.#heldRule(reader) !== undefined);
    const rule = held && this.#heldRule(held);
    if (held !== undefined && rule !== undefined) {
      // A server that takes keys.
      if (listens && !this.#isSecret() && !this.#asks()) return undefined;
      return this.#waiting(held, rule);
    }
    const [first] = readers;
    if (first === undefined) return undefined;
    if (this.#isHidden() && this.#isAfter("S3")) return this.#waiting(first, "S3");
    const idle = this.#isIdle() ? this.#idleRule() : undefined;
    return idle && this.#waiting(first, idle);
  }

  /** The rule by which an idle reader waits though it looks up by itself, or passes on what is typed. */
  #idleRule(): WaitingRule | undefined {
    const { readers, listens } = this.#quiet;
    const isRelay = readers.some((reader) => reader.isRelay);
    const asksFor = isRelay ? RELAY_MS : AFTER_MS.S4;
    // Where a program draws all over the screen with its cursor hidden, what stands before it is the end of some row.
    const isDrawnOver = this.#isAlternate && this.#screen.isCursorHidden === true;
    if (!isDrawnOver && this.#asks() && this.#quiet.quietMs >= asksFor) return "S4";
    if (isRelay) return undefined;
    if (this.#isAlternate && this.#isAfter("S5") && this.#hasLookedUp()) return "S5";
    return !listens && this.#isAfter("S6") && this.#drawn() !== undefined ? "S6" : undefined;
  }

  /** Every reader that looks up soon had the time to draw something since the last byte. */
  #hasLookedUp(): boolean {
    const { readers, quietMs } = this.#quiet;
    const { shortest, longest, draws, poll } = TIMERS_MS;
    return readers.every(({ timerMs }) => {
      if (timerMs === undefined || timerMs < shortest) return quietMs >= poll;
      return timerMs > longest || quietMs >= timerMs + draws;
    });
  }

  /** Where the kernel does not say. */
  ofDenied(): TerminalState | undefined {
    const [first] = this.#quiet.denied;
    if (first === undefined || this.#quiet.readers.length > 0) return undefined;
    if (this.#isHidden() && this.#isAfter("D1")) return this.#waiting(first, "D1");
    if (this.#asks() && this.#isIdle() && this.#isAfter("D2")) return this.#waiting(first, "D2");
    return undefined;
  }

  ofOthers(): TerminalState {
    const { readers, stopped, quietMs } = this.#quiet;
    const [reader] = readers;
    if (reader !== undefined) return { state: "keys", program: programOf(reader) };
    if (stopped.length > 0 && quietMs >= AFTER_MS.S1) return { state: "stopped", programs: stopped.map(programOf) };
    return { state: "running" };
  }

  /** The rule by which a reader waits for as long as it takes. */
  #heldRule({ isRead, isTimed, isRelay, isAlone }: TerminalReader): WaitingRule | undefined {
    const { isBusy, heldMs } = this.#quiet;
    if (isTimed || isRelay || heldMs < HELD_MS) return undefined;
    if (isRead && !isBusy && this.#isAfter("S1")) return "S1";
    const isAsked = isRead ? this.#line !== "" : isBusy && this.#asks();
    if (isAsked && this.#isAfter("S1b")) return "S1b";
    const isMeant = this.#text !== "" || this.#isAlternate || isAlone;
    return !isRead && !isBusy && isMeant && this.#isAfter("S2") ? "S2" : undefined;
  }

  /** The program draws what it asks: its cursor is hidden, and what stands last on the screen is a menu or a question. */
  #drawn(): { readonly question: string | undefined; readonly hasChoices: boolean } | undefined {
    const { isCursorHidden = false, rows } = this.#screen;
    if (!isCursorHidden || rows === undefined) return undefined;
    const written = rows().filter((row) => row !== "");
    const last = written.slice(-MENU_ROWS).map((row) => row.slice(0, MAX_LINE));
    const hasChoices = last.some((row) => CHOICE.test(row));
    const question = last.findLast((row) => QUESTION.test(row))?.replace(QUESTION_MARKS, "");
    return hasChoices || question !== undefined ? { question, hasChoices } : undefined;
  }

  #waiting(program: TerminalProgram, rule: WaitingRule): TerminalState {
    const { quietMs } = this.#quiet;
    const isCertain = rule !== "D2";
    const question = rule === "S6" ? this.#drawn()?.question : undefined;
    return {
      state: "waiting",
      kind: this.#kind(),
      program: programOf(program),
      sinceMs: quietMs,
      isCertain,
      rule,
      ...(question === undefined ? {} : { question }),
    };
  }

  #kind(): WaitingKind {
    if (this.#isSecret()) return "secret";
    if (this.#quiet.modes?.canonical === true) return "line";
    if (this.#isAlternate) return "screen";
    return this.#line === "" ? "key" : "prompt";
  }

  /** What is typed is not shown, and read as a line. */
  #isHidden(): boolean {
    const { modes } = this.#quiet;
    return modes !== undefined && !modes.echo && modes.canonical;
  }

  #isSecret(): boolean {
    if (this.#isHidden()) return true;
    if (this.#quiet.modes?.canonical !== false || this.#isAlternate) return false;
    if (this.#asks(this.#text) && SECRET.test(this.#text)) return true;
    const drawn = this.#drawn();
    // A menu that asks for a kind of token takes keys, and no token.
    return drawn?.question !== undefined && !drawn.hasChoices && SECRET.test(drawn.question);
  }

  #asks(text = this.#line): boolean {
    // Where its cursor is hidden, `#drawn` finds the question beside its choices.
    return PROMPT.test(text) || (this.#screen.isCursorHidden !== true && MARKED_QUESTION.test(text));
  }

  #isIdle(): boolean {
    return this.#quiet.idleMs >= IDLE_MS;
  }

  #isAfter(rule: WaitingRule): boolean {
    return this.#quiet.quietMs >= AFTER_MS[rule];
  }
}

function programOf({ pid, name }: TerminalProgram): TerminalProgram {
  return { pid, name };
}
