/**
 * The lines that a program has finished, as the normal screen holds them, from a reader's place on.
 *
 * A stream's lines are what was sent; these are what a person would have seen: a progress line once, an edited line as it
 * was entered, nothing of a full-screen program. A place is a marker of the terminal's own, which moves with the lines when
 * they scroll or the width changes. Lines that a program drew over again count as new.
 */
import type { IBuffer, IMarker, Terminal } from "@xterm/headless";

/** How far a reader is. */
export interface LinePlace {
  readonly marker: IMarker | undefined;
  /** Rows below the marker that were read. */
  readonly rows: number;
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
    return line === undefined || line < 0
      ? { marker: undefined, rows: to }
      : { marker: before?.marker, rows: to - line };
  }
  const marker = terminal.registerMarker(to - (normal.baseY + normal.cursorY)) ?? undefined;
  if (marker === undefined) return { marker: undefined, rows: to };
  if (before?.marker !== marker) before?.marker?.dispose();
  return { marker, rows: 0 };
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
  const lines: string[] = [];
  for (let row = from; row < to; row += 1) {
    const line = buffer.getLine(row);
    const goesOn = buffer.getLine(row + 1)?.isWrapped === true;
    const text = line?.translateToString(!goesOn) ?? "";
    const whole = goesOn ? text : text.trimEnd();
    if (line?.isWrapped === true && lines.length > 0) lines.push(`${lines.pop()}${whole}`);
    else lines.push(whole);
  }
  return lines;
}
