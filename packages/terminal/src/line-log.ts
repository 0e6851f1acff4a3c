/**
 * The lines that a program has finished, as the normal screen holds them, from a reader's place on.
 *
 * A stream's lines are what was sent; these are what a person would have seen: a progress line once, an edited line as it
 * was entered, nothing of a full-screen program. A place is a marker of the terminal's own, which moves with the lines when
 * they scroll or the width changes. Lines that a program drew over again count as new.
 */
import type { IBuffer, IMarker, Terminal } from "@xterm/headless";

/** How far a reader is. Opaque: a terminal gives it out, and takes it. */
export class LinePlace {
  /** Rows below the marker that were read; without one, from the first row. */
  readonly rows: number;
  /** Rows that this reader has not read are no longer held. */
  isLost = false;
  #marker: IMarker | undefined;
  /** Of a terminal that has ended. */
  #row: number | undefined;

  constructor(marker: IMarker | undefined, rows: number) {
    this.#marker = marker;
    this.rows = rows;
  }

  get marker(): IMarker | undefined {
    return this.#marker;
  }

  /** The row that it stood at when its terminal ended; undefined: that one runs, or is another one. */
  get endedRow(): number | undefined {
    return this.#row;
  }

  /** Its terminal ends: the marker, which holds all of its rows, is given back. */
  end({ row, isLost }: { row: number; isLost: boolean }): void {
    this.#row = row;
    this.isLost = isLost;
    this.#marker?.dispose();
    this.#marker = undefined;
  }
}

/** What is new for a reader. */
export interface NewLines {
  /** Rows that were wrapped at the edge are one line. */
  readonly lines: readonly string[];
  /** The text from the begin of the cursor's line to its end: not finished. */
  readonly unfinished: string;
  /** Lines before these are no longer held. */
  readonly isIncomplete: boolean;
}

/** The lines after a place. Undefined: from the beginning. */
export function newLines(terminal: Terminal, place: LinePlace | undefined): NewLines {
  const { normal, active } = terminal.buffer;
  const from = startOf(normal, place);
  const to = cursorLine(normal);
  const lines = joinRows(normal, from.row, to);
  const isAlternate = active.type === "alternate";
  // The saved screen stands still meanwhile, and what its last row says was read before.
  const unfinished = isAlternate ? "" : (joinRows(normal, to, normal.baseY + normal.cursorY + 1)[0] ?? "");
  return { lines, unfinished, isIncomplete: from.isLost };
}

/** The place of a reader who has read all finished lines. Give it back with `dropPlace`. */
export function placeNow(terminal: Terminal, before: LinePlace | undefined): LinePlace {
  const { normal, active } = terminal.buffer;
  const to = cursorLine(normal);
  if (active.type === "alternate") {
    // A marker is set on the screen in front; the other one does not change until that is gone.
    const line = before?.marker?.line;
    return line === undefined || line < 0 ? new LinePlace(undefined, to) : new LinePlace(before?.marker, to - line);
  }
  const marker = terminal.registerMarker(to - (normal.baseY + normal.cursorY)) ?? undefined;
  if (marker === undefined) return new LinePlace(undefined, to);
  if (before?.marker !== marker) before?.marker?.dispose();
  return new LinePlace(marker, 0);
}

/**
 * What is left of the lines when a program has ended: one text, without the terminal that drew it. A flood leaves 2,000 lines;
 * as a string and an object each they take ten times as much.
 */
export class EndedLines {
  /** The lines, each with a newline after it. */
  readonly #text: string;
  /** The row that each line begins in. Absent: each line is one row, from the first on. */
  readonly #rows: Uint32Array | undefined;
  readonly #unfinished: string;
  readonly #to: number;

  /** `places` are those that readers have of `terminal`; from now on they are places here. */
  constructor(terminal: Terminal, places: Iterable<LinePlace>) {
    const { normal } = terminal.buffer;
    this.#to = cursorLine(normal);
    const lines = linesWithRows(normal, this.#to);
    this.#text = lines.map(({ text }) => `${text}\n`).join("");
    const isPlain = lines.every(({ row }, at) => row === at);
    this.#rows = isPlain ? undefined : Uint32Array.from(lines, ({ row }) => row);
    this.#unfinished = newLines(terminal, undefined).unfinished;
    for (const place of places) place.end(startOf(normal, place));
  }

  /** The lines after a place. Undefined: from the beginning. */
  newLines(place: LinePlace | undefined): NewLines {
    const from = place?.endedRow ?? 0;
    const all = this.#text.split("\n").slice(0, -1);
    const first = this.#rows === undefined ? from : this.#rows.findIndex((row) => row >= from);
    const lines = first < 0 ? [] : all.slice(first);
    return { lines, unfinished: this.#unfinished, isIncomplete: place?.isLost === true };
  }

  /** The place after all of them. */
  placeNow(): LinePlace {
    const place = new LinePlace(undefined, 0);
    place.end({ row: this.#to, isLost: false });
    return place;
  }
}

/** A reader comes back no more. */
export function dropPlace(place: LinePlace | undefined): void {
  place?.marker?.dispose();
}

function startOf(normal: IBuffer, place: LinePlace | undefined): { row: number; isLost: boolean } {
  const last = normal.baseY + normal.cursorY;
  if (place === undefined) return { row: 0, isLost: false };
  const { marker, rows } = place;
  // Rows of the scrollback were dropped, the marker's among them.
  if (marker?.isDisposed === true || (marker !== undefined && marker.line < 0)) return { row: 0, isLost: true };
  const row = (marker?.line ?? 0) + rows;
  // The program cleared its screen, or went up to draw over it.
  return { row: Math.min(row, Math.max(0, cursorLine(normal)), last), isLost: false };
}

/** The first row of the line that the cursor is in. */
function cursorLine(normal: IBuffer): number {
  let row = normal.baseY + normal.cursorY;
  while (row > 0 && normal.getLine(row)?.isWrapped === true) row -= 1;
  return row;
}

function joinRows(buffer: IBuffer, from: number, to: number): string[] {
  return linesWithRows(buffer, to, from).map(({ text }) => text);
}

/** The lines of rows, each with the row that it begins in. */
function linesWithRows(buffer: IBuffer, to: number, from = 0): { row: number; text: string }[] {
  const lines: { row: number; text: string }[] = [];
  for (let row = from; row < to; row += 1) {
    const line = buffer.getLine(row);
    const goesOn = buffer.getLine(row + 1)?.isWrapped === true;
    const text = line?.translateToString(!goesOn) ?? "";
    const whole = goesOn ? text : text.trimEnd();
    const before = line?.isWrapped === true ? lines.at(-1) : undefined;
    if (before === undefined) lines.push({ row, text: whole });
    else before.text += whole;
  }
  return lines;
}
