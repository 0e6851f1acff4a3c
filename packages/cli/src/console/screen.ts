/**
 * The person's terminal: what is printed for good, the live area below it, and the whole screen for a program.
 *
 * # Theory of operation
 * Printed rows are the terminal's: they scroll away and are never touched again. The live area is erased and written again
 * below them each time; how far up it begins is known from the row that its cursor was left in. While a program has the
 * alternate screen, what is to be printed waits. `restore` puts everything back as it was and may be called at any time,
 * also while the process ends.
 */
import { writeSync } from "node:fs";
import { displayWidth } from "@pi-bash/renderer/internal";

/** Rows at the bottom, and where the cursor stands in them, counted from 0. */
export interface LiveArea {
  readonly rows: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

/** A terminal that can be written to. */
export interface TerminalOutput {
  readonly columns: number;
  readonly rows: number;
  write(text: string): unknown;
}

/** A terminal that can be read key by key. */
export interface TerminalInput {
  setRawMode(isRaw: boolean): unknown;
}

const ESC = "\x1b";
const CSI = "\x1b[";
const PASTE_ON = `${CSI}?2004h`;
const PASTE_OFF = `${CSI}?2004l`;
const HIDE_CURSOR = `${CSI}?25l`;
const SHOW_CURSOR = `${CSI}?25h`;
const ALTERNATE_ON = `${CSI}?1049h`;
const ALTERNATE_OFF = `${CSI}?1049l`;
/** Presses, releases and drags, in the form that has no limit on columns; all off. */
const MOUSE_ON = `${CSI}?1002h${CSI}?1006h`;
const MOUSE_OFF = `${CSI}?1002l${CSI}?1006l`;
const ERASE_BELOW = `${CSI}J`;
/** A row that the terminal takes for wider than we do is cut at its edge, so that the count of rows holds. */
const WRAP_OFF = `${CSI}?7l`;
const WRAP_ON = `${CSI}?7h`;
const RESET = `${CSI}0m`;
/** Terminals that know it show what is between the two at once; others ignore it. */
const FRAME_START = `${CSI}?2026h`;
const FRAME_END = `${CSI}?2026l`;

/** Colours and links of a row, which take no columns. */
const ESCAPES = new RegExp(`${ESC}(?:\\[[0-9;:]*[A-Za-z]|\\][^${ESC}]*${ESC}\\\\)`, "gu");

/** Sizes of a terminal that does not say. */
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;
const STDOUT = 1;

export class Screen {
  readonly #output: TerminalOutput;
  readonly #input: TerminalInput;
  #isOpen = false;
  #isWhole = false;
  #hasMouse = false;
  #live: LiveArea = { rows: [], cursor: { row: 0, column: 0 } };
  #waiting: string[] = [];
  #shownWhole: readonly string[] = [];

  constructor(output: TerminalOutput, input: TerminalInput) {
    this.#output = output;
    this.#input = input;
  }

  /** Columns of the terminal. */
  get width(): number {
    return this.#output.columns || DEFAULT_COLUMNS;
  }

  /** Rows of the terminal. */
  get height(): number {
    return this.#output.rows || DEFAULT_ROWS;
  }

  /** Takes the terminal: keys come one by one, pastes are distinguished. */
  open(): void {
    this.#isOpen = true;
    this.#input.setRawMode(true);
    this.#output.write(PASTE_ON);
  }

  /** Rows that stay, above the live area. */
  print(rows: readonly string[]): void {
    this.#waiting.push(...rows);
  }

  /** Writes what is to be printed, and the live area again. */
  draw(live: LiveArea): void {
    if (!this.#isOpen || this.#isWhole) return;
    const printed = this.#waiting.map((row) => `${row}${RESET}\r\n`).join("");
    this.#waiting = [];
    this.#output.write(
      `${FRAME_START}${HIDE_CURSOR}${this.#toTop()}${ERASE_BELOW}${printed}${written(live)}${SHOW_CURSOR}${FRAME_END}`,
    );
    this.#live = live;
  }

  /**
   * The terminal has another width: it has wrapped the rows of the live area again, or cut them. The place of the first
   * one is reckoned for a terminal that wraps, and never further up than the screen.
   */
  resized(): void {
    this.#shownWhole = [];
    const above = this.#live.rows.slice(0, this.#live.cursor.row);
    const rows = above.reduce((sum, row) => sum + Math.max(1, Math.ceil(columnsOf(row) / this.width)), 0);
    const inRow = Math.floor(this.#live.cursor.column / this.width);
    this.#live = { ...this.#live, cursor: { row: Math.min(rows + inRow, this.height - 1), column: 0 } };
  }

  /** The whole screen for a program, what is there now is kept. */
  enterWhole(): void {
    if (!this.#isOpen || this.#isWhole) return;
    this.#isWhole = true;
    this.#shownWhole = [];
    this.#output.write(`${ALTERNATE_ON}${HIDE_CURSOR}${CSI}2J`);
  }

  /** The rows of the whole screen; only those that changed are written. */
  drawWhole(rows: readonly string[]): void {
    if (!this.#isOpen || !this.#isWhole) return;
    const changed = rows.flatMap((row, at) => (row === this.#shownWhole[at] ? [] : `${CSI}${at + 1};1H${row}${RESET}`));
    this.#shownWhole = [...rows];
    if (changed.length > 0) this.#output.write(`${FRAME_START}${WRAP_OFF}${changed.join("")}${WRAP_ON}${FRAME_END}`);
  }

  /** Whether the terminal reports its mouse to the program on the whole screen. */
  reportMouse(isWanted: boolean): void {
    if (!this.#isWhole || isWanted === this.#hasMouse) return;
    this.#hasMouse = isWanted;
    this.#output.write(isWanted ? MOUSE_ON : MOUSE_OFF);
  }

  /** Back to what was there before. */
  leaveWhole(): void {
    if (!this.#isWhole) return;
    this.reportMouse(false);
    this.#isWhole = false;
    this.#output.write(`${ALTERNATE_OFF}${SHOW_CURSOR}`);
  }

  /** Gives the terminal back: nothing of the live area, the cursor at the start of a line. Never throws. */
  restore(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const leave = `${this.#hasMouse ? MOUSE_OFF : ""}${this.#isWhole ? ALTERNATE_OFF : ""}`;
    const printed = this.#waiting.map((row) => `${row}${RESET}\r\n`).join("");
    writeNow(`${leave}${RESET}${this.#toTop()}${ERASE_BELOW}${printed}${PASTE_OFF}${SHOW_CURSOR}${FRAME_END}`);
    try {
      this.#input.setRawMode(false);
    } catch {
      // The terminal is gone, and its modes with it.
    }
  }

  #toTop(): string {
    const { row } = this.#live.cursor;
    return row === 0 ? "\r" : `\r${CSI}${row}A`;
  }
}

function written({ rows, cursor }: LiveArea): string {
  const up = Math.max(0, rows.length - 1 - cursor.row);
  const text = rows.map((row) => `${row}${RESET}`).join("\r\n");
  return `${WRAP_OFF}${text}${WRAP_ON}\r${up === 0 ? "" : `${CSI}${up}A`}${cursor.column === 0 ? "" : `${CSI}${cursor.column}C`}`;
}

function columnsOf(row: string): number {
  return displayWidth(row.replaceAll(ESCAPES, ""));
}

/** At once, also from a handler of the process's end. */
function writeNow(text: string): void {
  try {
    writeSync(STDOUT, text);
  } catch {
    // No one looks any more.
  }
}
