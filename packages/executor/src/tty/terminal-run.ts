/**
 * One task's terminal: a program on a pseudoterminal, the screen that it draws on, and who types to it.
 *
 * # Theory of operation
 * What the program writes goes to the screen first and then, without the secrets that a person typed, to the artifact and to
 * a person who looks on; each chunk is taken by all before the next one is read. While nothing is written the kernel is
 * asked who waits (`terminal-state.ts`). Whoever waits for the terminal is woken by changes, and by a timer for what has no
 * event: a drawn screen that rests. How it is started and ended is in `terminal-work.ts`.
 */
import type { QuietTerminal, TaskScreen, TaskWaiting } from "@pi-bash/contract";
import { PTY_COLUMNS_RANGE, PTY_ROWS_RANGE } from "@pi-bash/contract/internal";
import { waitWithin } from "@pi-bash/contract/internal/wait";
import type { EndedLines, LinePlace, NewLines, PromptScreen, TerminalState, VirtualTerminal } from "@pi-bash/terminal";
import type { PtyDevice } from "../console/console-port.ts";
import { Needles } from "./needles.ts";
import { openSeat } from "./person-seat.ts";
import { screenOf } from "./screen-facts.ts";
import type {
  PersonSeat,
  PersonView,
  TaskTerminal,
  TerminalNews,
  TerminalReaderFacts,
  TerminalWait,
} from "./terminal-port.ts";
import type { TerminalRecord, Typist } from "./terminal-record.ts";
import { TerminalFacts } from "./terminal-state.ts";

/** A drawn screen counts as finished after so long without a change, in milliseconds. */
const DRAWN_REST_MS = 400;

/** The same where nothing was drawn since something was typed: the program may not have come to it. */
const UNANSWERED_REST_MS = 1_000;

/** Time that a program has to stop showing what is typed, for a secret line, in milliseconds. */
const SECRET_HOLD_MS = 2_000;

/** What a run is made of. */
export interface TerminalParts {
  readonly device: PtyDevice;
  readonly terminal: VirtualTerminal;
  readonly judge: (quiet: QuietTerminal, screen: PromptScreen) => TerminalState;
  /** Replaces the secrets of the session in a text. */
  readonly mask: (text: string) => string;
  /** Takes what happens. Absent: no record is kept. */
  readonly record?: TerminalRecord | undefined;
}

export class TerminalRun implements TaskTerminal {
  reportedPrompt = 0;
  readonly needles = new Needles();
  readonly #parts: Omit<TerminalParts, "terminal">;
  /** The screen, or what is left of it when the program has ended: a job is kept for long after that. */
  #screen: { readonly terminal: VirtualTerminal } | { readonly lines: EndedLines; readonly facts: TaskScreen };
  readonly #facts: TerminalFacts;
  readonly #listeners = new Set<() => void>();
  #attendants = 0;
  #isOver = false;
  /** When the screen may last have changed, in milliseconds of the monotonic clock. */
  #drawnAtMs = performance.now();
  /** Nothing was written since something was typed. */
  #isUnanswered = false;
  #seat: { readonly view: PersonView; readonly end: () => void } | undefined;

  constructor({ terminal, ...parts }: TerminalParts) {
    this.#parts = parts;
    this.#screen = { terminal };
    this.#facts = new TerminalFacts(parts.judge, (text) => this.mask(text));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get waiting(): TaskWaiting | undefined {
    return this.#isOver ? undefined : this.#facts.waiting;
  }

  get reader(): TerminalReaderFacts | undefined {
    return this.#isOver ? undefined : this.#facts.reader;
  }

  get prompt(): number {
    return this.#facts.prompt;
  }

  get isDrawn(): boolean {
    const terminal = this.#terminal;
    return terminal !== undefined && (terminal.isAlternateScreen || terminal.isDrawnBelowCursor);
  }

  get isApplicationCursor(): boolean {
    return this.#terminal?.isApplicationCursor === true;
  }

  get holder(): "person" | undefined {
    return this.#seat === undefined ? undefined : "person";
  }

  get isAttended(): boolean {
    return this.#attendants > 0;
  }

  /** What is typed is not shown, as far as is known. */
  get isHidden(): boolean {
    return this.#facts.isHidden;
  }

  /** A text without secrets: those of the session, and what a person typed unseen. */
  mask(text: string): string {
    return this.#parts.mask(this.needles.text(text));
  }

  screen(): TaskScreen {
    return "facts" in this.#screen ? this.#screen.facts : screenOf(this.#screen.terminal, (text) => this.mask(text));
  }

  encodePaste(text: string): string {
    return this.#terminal?.encodePaste(text) ?? text;
  }

  newLines(place: LinePlace | undefined): NewLines {
    const found = "lines" in this.#screen ? this.#screen.lines.newLines(place) : this.#screen.terminal.newLines(place);
    // Over a line's end, too: what is longer than a row was joined.
    const lines = found.lines.length === 0 ? [] : this.mask(found.lines.join("\n")).split("\n");
    return { ...found, lines, unfinished: this.mask(found.unfinished) };
  }

  placeNow(before: LinePlace | undefined): LinePlace {
    return "lines" in this.#screen ? this.#screen.lines.placeNow() : this.#screen.terminal.placeNow(before);
  }

  write(data: string, by: Typist = "model"): void {
    this.#parts.device.write(data);
    this.#parts.record?.typed(by, data);
    this.#active(true);
  }

  signal(name: string): void {
    this.#parts.device.kill(`SIG${name}`);
    this.#drawnAtMs = performance.now();
  }

  resize(cols: number, rows: number): { cols: number; rows: number } {
    const size = { cols: clamp(cols, PTY_COLUMNS_RANGE), rows: clamp(rows, PTY_ROWS_RANGE) };
    this.#parts.device.resize(size.cols, size.rows);
    this.#terminal?.resize(size.cols, size.rows);
    this.#parts.record?.resized(size.cols, size.rows);
    this.#drawnAtMs = performance.now();
    return size;
  }

  async until({ timeoutMs, stop }: TerminalWait): Promise<TerminalNews> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const found = this.#news();
      if (found !== undefined) return found;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) return "deadline";
      const end = await this.#nextChange(Math.min(leftMs, this.isDrawn ? Math.max(1, this.#restMs()) : leftMs), stop);
      if (end === "aborted") return this.#news() ?? "stopped";
    }
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  attend(): () => void {
    this.#attendants += 1;
    let isEnded = false;
    return () => {
      if (isEnded) return;
      isEnded = true;
      this.#attendants -= 1;
      this.#wake();
    };
  }

  take(view: PersonView): PersonSeat {
    const terminal = this.#terminal;
    if (terminal === undefined) throw new Error("the program has ended");
    if (this.#seat !== undefined) throw new Error("another person has the terminal");
    const seat = openSeat({ run: this, terminal, free: () => this.#free() });
    this.#seat = { view, end: seat.handBack };
    this.#wake();
    return seat;
  }

  async sendSecret(line: string): Promise<boolean> {
    if (/[\r\n\0]/u.test(line)) throw new TypeError("a secret is one line of text");
    const until = performance.now() + SECRET_HOLD_MS;
    while (!this.#isOver && !this.#facts.isHidden) {
      const leftMs = until - performance.now();
      if (leftMs <= 0) return false;
      await this.#nextChange(leftMs, undefined);
    }
    if (this.#isOver) return false;
    // Before it is typed: what comes back is masked from the first byte.
    this.needles.add(line);
    try {
      this.write(`${line}\r`, "unseen");
    } catch (error) {
      // Its end is known here a moment later than there.
      if (isNotRunning(error)) return false;
      throw error;
    }
    return true;
  }

  /** Takes what the program wrote. Resolves when it is on the screen; `keep` has it without what a person typed unseen. */
  async takeChunk(chunk: string, keep: (masked: string) => void): Promise<void> {
    // What comes after a run that was given up has no result to be in.
    if (this.#terminal === undefined) return;
    await this.#terminal.write(chunk);
    this.#active(false);
    const masked = this.needles.push(chunk);
    keep(masked);
    this.#show(masked);
    await this.#parts.record?.output(masked);
  }

  /** Takes the kernel's report of a quiet terminal. */
  async quiet(report: QuietTerminal): Promise<void> {
    const terminal = this.#terminal;
    await terminal?.settled();
    if (terminal === undefined || this.#isOver) return;
    const screen = terminal.promptScreen;
    if (this.#facts.report(report, screen)) this.#wake();
  }

  /** The program has ended. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#seat?.end();
    if ("terminal" in this.#screen) this.#screen = { facts: this.screen(), lines: this.#screen.terminal.end() };
    this.#wake();
  }

  /** The screen that is drawn on; undefined: the program has ended. */
  get #terminal(): VirtualTerminal | undefined {
    return this.#isOver || !("terminal" in this.#screen) ? undefined : this.#screen.terminal;
  }

  #news(): TerminalNews | undefined {
    if (this.#isOver) return "ended";
    if (this.#seat !== undefined) return "held";
    if (this.waiting?.certain === true) return "waiting";
    return this.isDrawn && this.#restMs() <= 0 ? "screen" : undefined;
  }

  /** Milliseconds until a drawn screen counts as finished. */
  #restMs(): number {
    return (this.#isUnanswered ? UNANSWERED_REST_MS : DRAWN_REST_MS) - (performance.now() - this.#drawnAtMs);
  }

  /** Waits for the next change, at most so long. */
  async #nextChange(
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<"value" | "error" | "deadline" | "aborted"> {
    let off = (): void => undefined;
    const changed = new Promise<void>((resolve) => {
      off = this.onChange(resolve);
    });
    const waited = await waitWithin(changed, { timeoutMs, signal });
    off();
    return waited.kind;
  }

  #active(wasTyped: boolean): void {
    this.#drawnAtMs = performance.now();
    this.#isUnanswered = wasTyped;
    this.#facts.activity(wasTyped);
    this.#wake();
  }

  #free(): void {
    const seat = this.#seat;
    this.#seat = undefined;
    try {
      seat?.view.onEnd?.();
    } finally {
      this.#wake();
    }
  }

  /** A window that throws costs its person the sight and nothing else. */
  #show(chunk: string): void {
    try {
      this.#seat?.view.onData?.(chunk);
    } catch {
      this.#seat?.end();
    }
  }

  #wake(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function clamp(cells: number, { min, max }: { min: number; max: number }): number {
  return Number.isFinite(cells) ? Math.min(Math.max(Math.trunc(cells), min), max) : min;
}

function isNotRunning(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "PI_PTY_NOT_RUNNING";
}
