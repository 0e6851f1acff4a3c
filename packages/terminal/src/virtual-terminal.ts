/**
 * A terminal without a window, on `@xterm/headless`: it takes what a program writes and holds the screen.
 *
 * It also answers what programs ask a terminal (status, cursor, attributes, colours, size), through `onReply`, so that none
 * of them waits for an answer in vain. What would reach out of the terminal is not answered and not done: titles are not
 * reported, and the clipboard is neither read nor written.
 */
import headless, { type IBufferLine, type Terminal } from "@xterm/headless";
import { highlightedTexts } from "./highlighted.ts";
import { dropPlace, EndedLines, type LinePlace, type NewLines, newLines, placeNow } from "./line-log.ts";
import { encodePaste } from "./paste.ts";
import { drawing, modeSequences } from "./redraw.ts";
import { registerReplies } from "./replies.ts";
import { type StyledText, styledRow } from "./styled-row.ts";
import type { PromptScreen } from "./waiting.ts";

/** Size of a terminal, lines kept above its screen, and who takes its answers. */
export interface VirtualTerminalOptions {
  /** Columns, from 2. Default 120, as a `PtySession`. */
  readonly cols?: number;
  /** Rows, from 1. Default 40. */
  readonly rows?: number;
  /** Lines kept above the screen. Default 10,000. */
  readonly scrollback?: number;
  /**
   * Takes the terminal's answers, to be typed to the program at once. One that it cannot take (it throws: the program has
   * ended, or asks without end and reads nothing) is dropped, and the drawing goes on. Default: no one is answered.
   */
  readonly onReply?: (reply: string) => void;
}

const DEFAULT_COLS = 120;
const DEFAULT_ROWS = 40;
const DEFAULT_SCROLLBACK = 10_000;

/** The private mode that shows the cursor (https://vt100.net/docs/vt510-rm/DECTCEM.html). */
const DECTCEM = 25;

/** Characters parsed in one turn of the event loop: about a millisecond of work. */
const SLICE_CHARS = 16 * 1024;

/**
 * A terminal without a window. Free it with `dispose`.
 *
 * ```ts
 * import { VirtualTerminal } from "@pi-bash/terminal";
 *
 * const terminal = new VirtualTerminal({ cols: 20, rows: 3 });
 * await terminal.write("50 %\r100 %\r\n\x1b[1mdone\x1b[0m");
 * console.log(terminal.text()); // What a person would see: "100 %", then "done".
 * terminal.dispose();
 * ```
 */
export class VirtualTerminal {
  readonly #terminal: Terminal;
  /** The end of the last write: writes are taken one after the other. */
  #written: Promise<void> = Promise.resolve();
  #title = "";
  #isCursorHidden = false;
  /** Places that readers have, for the end. */
  readonly #places = new Set<LinePlace>();

  constructor(options: VirtualTerminalOptions = {}) {
    this.#terminal = new headless.Terminal({
      cols: options.cols ?? DEFAULT_COLS,
      rows: options.rows ?? DEFAULT_ROWS,
      scrollback: options.scrollback ?? DEFAULT_SCROLLBACK,
      // It would print what a program got wrong, on the host's own terminal.
      logLevel: "off",
      // The buffer's lines are called so.
      allowProposedApi: true,
      // Sizes may be asked for. Titles may not: they are the program's own text, and an answer is typed.
      windowOptions: { getWinSizePixels: true, getCellSizePixels: true, getWinSizeChars: true },
    });
    this.#terminal.onTitleChange((title) => {
      this.#title = title;
    });
    this.#followCursor();
    if (options.onReply) {
      const reply = forgiving(options.onReply);
      this.#terminal.onData(reply);
      registerReplies(this.#terminal, reply);
    }
  }

  /**
   * Takes what a program wrote. Resolves when it is on the screen; returned from an `onChunk`, it holds the program back
   * while the screen catches up.
   */
  write(data: string): Promise<void> {
    this.#written = this.#written.then(() => this.#parse(data));
    return this.#written;
  }

  /** Resolves when everything written so far is on the screen. */
  settled(): Promise<void> {
    return this.#written;
  }

  /** Changes the size. The program's own terminal is another one and has to be resized as well. */
  resize(cols: number, rows: number): void {
    this.#terminal.resize(cols, rows);
  }

  /** Columns and rows. */
  get size(): { readonly cols: number; readonly rows: number } {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows };
  }

  /** The lines on the screen, one a row from the top, without blanks at their ends. */
  screen(): string[] {
    const { active } = this.#terminal.buffer;
    return rows(active.baseY, active.baseY + this.#terminal.rows).map((y) => textOf(active.getLine(y)));
  }

  /** The same with colours and attributes. */
  styledScreen(): StyledText[][] {
    const { active } = this.#terminal.buffer;
    const { cols } = this.#terminal;
    return rows(active.baseY, active.baseY + this.#terminal.rows).map((y) => styledRow(active.getLine(y), cols));
  }

  /** What stands out on the screen by its background, as the chosen entry of a menu does: at most `limit` texts from the top. */
  highlighted(limit: number): string[] {
    return highlightedTexts(this.styledScreen(), limit);
  }

  /** The title that the program gave its window; empty for none. It is the program's own text. */
  get title(): string {
    return this.#title;
  }

  /**
   * The lines of the normal screen that were finished since `place`, and the unfinished one. Undefined: from the beginning, as
   * far as the scrollback goes.
   */
  newLines(place: LinePlace | undefined): NewLines {
    return newLines(this.#terminal, place);
  }

  /** The place after all finished lines, instead of `before`, which must not be used afterwards. */
  placeNow(before: LinePlace | undefined): LinePlace {
    const place = placeNow(this.#terminal, before);
    if (before !== undefined) this.#places.delete(before);
    this.#places.add(place);
    return place;
  }

  /** Gives a place back that is read from no more. */
  dropPlace(place: LinePlace | undefined): void {
    if (place !== undefined) this.#places.delete(place);
    dropPlace(place);
  }

  /**
   * The lines, for readers who come later, and the end of the screen: a terminal takes 3 MB for 2,000 lines, texts take what is
   * in them. Places of this terminal are places of what is returned from now on.
   */
  end(): EndedLines {
    const lines = new EndedLines(this.#terminal, this.#places);
    this.#places.clear();
    this.dispose();
    return lines;
  }

  /** Something is drawn below the cursor: a menu or a form that has the screen for itself without saying so. */
  get isDrawnBelowCursor(): boolean {
    return this.screen()
      .slice(this.cursor.row + 1)
      .some((row) => row !== "");
  }

  /** The program asked to be notified of the mouse. */
  get wantsMouse(): boolean {
    return this.#terminal.modes.mouseTrackingMode !== "none";
  }

  /** Where the cursor stands, counted from 0 at the top left of the screen. */
  get cursor(): { readonly column: number; readonly row: number } {
    const { active } = this.#terminal.buffer;
    return { column: active.cursorX, row: active.cursorY };
  }

  /** The cursor's row, from its begin to the cursor: where a program that asks has written its question. */
  lineBeforeCursor(): string {
    return this.#cursorRow(this.#terminal.buffer.active.cursorX);
  }

  /** The cursor's row, up to a column. */
  #cursorRow(end?: number): string {
    const { active } = this.#terminal.buffer;
    return active.getLine(active.baseY + active.cursorY)?.translateToString(false, 0, end) ?? "";
  }

  /** What of the screen decides whether a program waits for a person. See `terminalState`. */
  get promptScreen(): PromptScreen {
    return {
      line: this.lineBeforeCursor(),
      row: this.#cursorRow(),
      isAlternate: this.isAlternateScreen,
      isCursorHidden: this.#isCursorHidden,
      rows: () => this.screen(),
    };
  }

  /**
   * The scrollback and the screen as text. A line that was wrapped at the edge is one line again; empty lines at the end
   * are left out. While a program has the alternate screen, that one stands below what was there before.
   */
  text(): string {
    const { normal, active } = this.#terminal.buffer;
    const lines = joined(rows(0, normal.length).map((y) => normal.getLine(y)));
    if (active !== normal) lines.push(...joined(rows(0, active.length).map((y) => active.getLine(y))));
    return lines.join("\n");
  }

  /** The program has the screen for itself, as an editor does. */
  get isAlternateScreen(): boolean {
    return this.#terminal.buffer.active.type === "alternate";
  }

  /** Arrow keys are to be sent in their application form (`ESC O A`). */
  get isApplicationCursor(): boolean {
    return this.#terminal.modes.applicationCursorKeysMode;
  }

  /**
   * What draws the screen as it stands on an empty terminal of the same size: rows with their colours, the cursor, and the
   * modes that decide what keys, pastes and the mouse send.
   */
  redraw(): string {
    return `${modeSequences(this.#terminal.modes, this.isAlternateScreen)}${drawing(this.styledScreen(), this.cursor)}`;
  }

  /** Pasted text, encoded as the program asked for it. See `encodePaste`. */
  encodePaste(text: string): string {
    return encodePaste(text, this.#terminal.modes.bracketedPasteMode);
  }

  /** Frees the screen. What is written afterwards is dropped. */
  dispose(): void {
    this.#terminal.dispose();
  }

  /** DECTCEM (`CSI ? 25 h` and `l`), and the resets that show the cursor again (DECSTR, RIS). */
  #followCursor(): void {
    const { parser } = this.#terminal;
    const shown = (isShown: boolean) => (): boolean => {
      this.#isCursorHidden = !isShown;
      return false;
    };
    const mode = (isShown: boolean) => (params: readonly (number | number[])[]) =>
      params.includes(DECTCEM) && shown(isShown)();
    parser.registerCsiHandler({ prefix: "?", final: "h" }, mode(true));
    parser.registerCsiHandler({ prefix: "?", final: "l" }, mode(false));
    parser.registerCsiHandler({ intermediates: "!", final: "p" }, shown(true));
    parser.registerEscHandler({ final: "c" }, shown(true));
  }

  async #parse(data: string): Promise<void> {
    for (let start = 0; start < data.length; start += SLICE_CHARS) {
      // Its parser keeps its state, so a slice may end anywhere, in a surrogate pair as well.
      const slice = data.slice(start, start + SLICE_CHARS);
      await new Promise<void>((resolve) => this.#terminal.write(slice, resolve));
    }
  }
}

/** The listener, called from within a parser that an error would stop for good. The first one is a warning of the process. */
function forgiving(onReply: (reply: string) => void): (reply: string) => void {
  let hasWarned = false;
  return (reply) => {
    try {
      onReply(reply);
    } catch (error) {
      if (!hasWarned) {
        const reason = error instanceof Error ? error.message : String(error);
        process.emitWarning(`a terminal's answer was dropped: ${reason}`, { code: "PI_REPLY_DROPPED" });
      }
      hasWarned = true;
    }
  };
}

function rows(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
}

function textOf(line: IBufferLine | undefined): string {
  // Blanks that were drawn look like those that were not.
  return line?.translateToString(true).trimEnd() ?? "";
}

/** Joins rows to lines and drops the empty ones at the end. */
function joined(found: (IBufferLine | undefined)[]): string[] {
  const lines: string[] = [];
  for (const [at, line] of found.entries()) {
    // A row that goes on has its blanks to the edge: they are between two words.
    const text = found[at + 1]?.isWrapped ? (line?.translateToString(false) ?? "") : textOf(line);
    if (line?.isWrapped && lines.length > 0) lines.push(`${lines.pop()}${text}`);
    else lines.push(text);
  }
  while (lines.at(-1) === "") lines.pop();
  return lines;
}
