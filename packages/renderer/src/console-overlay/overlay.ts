/**
 * The console: a window on a program that has a terminal, with a title, its screen and a line that says what keys do.
 *
 * It draws the screen of a virtual terminal and turns a person's keys into what the program expects. The program runs
 * elsewhere: typing, resizing and ending it go through `ConsoleControls`. Nothing that the program writes reaches the
 * person's terminal but the text and colours of its screen.
 */
import { PTY_COLUMNS_RANGE, PTY_ROWS_RANGE } from "@pi-bash/contract/internal";
import { VirtualTerminal } from "@pi-bash/terminal";
import { plainRun, type Run, type StyledLine } from "../text/styled.ts";
import { clip, columnsOf, displayWidth } from "../text/width.ts";
import { rowText, wrapLine } from "../text/wrap.ts";
import { DEFAULT_THEME, type Theme } from "../theme.ts";
import { type ConsoleInput, decodeInput } from "./keys.ts";
import { screenRow } from "./screen-row.ts";

/** What the window can do to its program. */
export interface ConsoleProgram {
  /** Types to it; false when it takes no more. */
  write(data: string): boolean;
  /** Changes the size of its terminal, in cells. */
  resize(cols: number, rows: number): void;
  /** Ends it and everything it started. */
  kill(): void;
}

/** How the window looks and what its keys do. */
export interface ConsoleOverlayOptions {
  readonly theme?: Theme;
  /** Size of the person's terminal when the window opens. Default 80 by 24. */
  readonly width?: number;
  readonly rows?: number;
  /** Esc goes to the program, and `killKey` ends it. Default false: Esc ends the program. */
  readonly escapeToProgram?: boolean;
  /** The key that ends the program where Esc is the program's, by its name. Default `ctrl+]`. */
  readonly killKey?: string;
  /** What that key does, as the window says it. Default `ends the program`. */
  readonly killHint?: string;
  /** Whether the window answers what the program asks a terminal. Default true; false where another terminal does. */
  readonly answersQueries?: boolean;
}

/** How the program in the window ended. */
export interface ConsoleEnd {
  readonly exitCode?: number;
  readonly signal?: string;
  readonly cancelled: boolean;
  readonly timedOut: boolean;
}

/** Size of a terminal that does not say, in cells. */
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

/** Rows of the frame: title above, keys below. */
const FRAME_ROWS = 2;
/** Columns of the frame: an edge on each side. */
const FRAME_COLUMNS = 2;

/** A window over an app's screen with a program on a pseudoterminal in it. */
export class BashConsoleOverlay {
  /** The title that upstream gave it. */
  readonly title = "Console";
  readonly #command: string;
  readonly #program: ConsoleProgram;
  readonly #options: ConsoleOverlayOptions;
  readonly #terminal: VirtualTerminal;
  #width: number;
  #rows: number;
  #end: ConsoleEnd | undefined;

  constructor(command: string, program: ConsoleProgram, options: ConsoleOverlayOptions = {}) {
    this.#command = command;
    this.#program = program;
    this.#options = options;
    this.#width = columnsOf(options.width ?? DEFAULT_COLUMNS);
    this.#rows = rowsOf(options.rows ?? DEFAULT_ROWS);
    this.#terminal = new VirtualTerminal({
      ...this.size,
      scrollback: 0,
      ...(options.answersQueries === false ? {} : { onReply: (reply: string) => void program.write(reply) }),
    });
  }

  /** Size of the program's terminal in this window. */
  get size(): { readonly cols: number; readonly rows: number } {
    return {
      cols: clamp(this.#width - FRAME_COLUMNS, PTY_COLUMNS_RANGE),
      rows: clamp(this.#rows - FRAME_ROWS, PTY_ROWS_RANGE),
    };
  }

  /** Takes what the program wrote. Resolves when it is on the screen: returned to the program's reader, it holds it back. */
  write(data: string): Promise<void> {
    return this.#terminal.write(data);
  }

  /** The person's terminal has another size. */
  resize(width: number, rows: number): void {
    this.#width = columnsOf(width);
    this.#rows = rowsOf(rows);
    const { cols, rows: inner } = this.size;
    this.#terminal.resize(cols, inner);
    if (this.#end === undefined) this.#program.resize(cols, inner);
  }

  /** The program has ended; the window shows its last screen. */
  finish(end: ConsoleEnd): void {
    this.#end = end;
  }

  /** Whether the program has ended. */
  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** The program asked to be notified of the mouse: the person's terminal has to report it. */
  get wantsMouse(): boolean {
    return this.#end === undefined && this.#terminal.wantsMouse;
  }

  /** Takes what the person's terminal sent. */
  handleInput(data: string): void {
    if (this.#end !== undefined) return;
    for (const input of decodeInput(data, { applicationCursor: this.#terminal.isApplicationCursor }))
      this.#handle(input);
  }

  /** The rows of the window: as many as the terminal has, each exactly as wide. */
  render(): string[] {
    const screen = this.#terminal.styledScreen();
    const inner = Math.max(0, this.#rows - FRAME_ROWS);
    const rows = [this.#top()];
    for (let row = 0; row < inner; row += 1) rows.push(this.#screenRow(screen[row] ?? [], row));
    rows.push(this.#bottom());
    return rows.slice(0, this.#rows);
  }

  /** Frees the screen. */
  dispose(): void {
    this.#terminal.dispose();
  }

  #handle(input: ConsoleInput): void {
    if (input.kind === "paste") {
      this.#program.write(this.#terminal.encodePaste(input.text));
    } else if (input.kind === "mouse") {
      this.#mouse(input);
    } else if (input.name === this.#killKey()) {
      this.#program.kill();
    } else {
      this.#program.write(input.data);
    }
  }

  #killKey(): string {
    return this.#options.escapeToProgram ? (this.#options.killKey ?? "ctrl+]") : "escape";
  }

  /** Sent to a program that asked for it, in cells of its own screen. */
  #mouse({ button, column, row, isRelease }: Extract<ConsoleInput, { kind: "mouse" }>): void {
    const { cols, rows } = this.size;
    const [x, y] = [column - 1, row - 1];
    if (!this.#terminal.wantsMouse || x < 1 || y < 1 || x > cols || y > rows) return;
    this.#program.write(`\x1b[<${button};${x};${y}${isRelease ? "m" : "M"}`);
  }

  #top(): string {
    const { colours } = this.#theme();
    const badge = this.#badge();
    const name = ` ${this.title} `;
    const room = Math.max(0, this.#width - displayWidth(name) - displayWidth(badge.text) - 8);
    const command = clip(plainRun(this.#command).text, room);
    const middle = command === "" ? "" : ` $ ${command} `;
    const filler = Math.max(0, this.#width - 4 - displayWidth(name) - displayWidth(middle) - displayWidth(badge.text));
    return this.#framed([
      { text: "╭─", style: colours.border },
      { text: name, style: colours.accent },
      { text: middle, style: "" },
      { text: "─".repeat(filler), style: colours.border },
      badge,
      { text: "─╮", style: colours.border },
    ]);
  }

  #bottom(): string {
    const { colours } = this.#theme();
    const { cols, rows } = this.size;
    const key = this.#killKey() === "escape" ? "esc" : this.#killKey();
    const hint = this.#end === undefined ? `${key} ${this.#options.killHint ?? "ends the program"}` : "ended";
    const text = clip(` ${hint} · ${cols}x${rows} `, Math.max(0, this.#width - 4));
    const filler = Math.max(0, this.#width - 4 - displayWidth(text));
    return this.#framed([
      { text: "╰─", style: colours.border },
      { text, style: colours.dim },
      { text: `${"─".repeat(filler)}─╯`, style: colours.border },
    ]);
  }

  #badge(): Run {
    const { colours } = this.#theme();
    if (this.#end === undefined) return { text: " running ", style: colours.running };
    const { exitCode, signal, timedOut, cancelled } = this.#end;
    if (timedOut) return { text: " timed out ", style: colours.warning };
    if (cancelled) return { text: " ended ", style: colours.warning };
    if (signal !== undefined) return { text: ` ${signal} `, style: colours.error };
    return exitCode === 0
      ? { text: " done ", style: colours.success }
      : { text: ` exit ${exitCode} `, style: colours.error };
  }

  #screenRow(runs: readonly Run[], row: number): string {
    const { colours, hasColour } = this.#theme();
    const { column, row: cursorRow } = this.#terminal.cursor;
    const cursor = this.#end === undefined && row === cursorRow ? column : undefined;
    const width = Math.max(1, this.#width - FRAME_COLUMNS);
    const edge: Run = { text: "│", style: colours.border };
    return this.#framed([edge, ...screenRow(runs, { width, cursor, hasColour }), edge]);
  }

  /** Exactly as wide as the terminal, also where the frame has no room. */
  #framed(line: StyledLine): string {
    return rowText(wrapLine(line, this.#width)[0], this.#width);
  }

  #theme(): Theme {
    return this.#options.theme ?? DEFAULT_THEME;
  }
}

/** A height as a whole number of rows, at least 1. */
function rowsOf(rows: number): number {
  return Number.isFinite(rows) ? Math.max(1, Math.floor(rows)) : DEFAULT_ROWS;
}

function clamp(value: number, { min, max }: { readonly min: number; readonly max: number }): number {
  return Math.min(max, Math.max(min, Math.floor(value)));
}
