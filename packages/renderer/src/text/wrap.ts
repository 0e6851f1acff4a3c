/**
 * Breaks styled lines into the rows of a terminal, and writes rows as text with their colours.
 *
 * Every row that comes from here has at most the asked-for number of columns, sets its own colours and leaves none on,
 * whatever was in the line: the rows of a screen can be shown in any order and cut anywhere between them.
 */
import type { Run, StyledLine } from "./styled.ts";
import { clustersOf, clusterWidth, columnsOf, isPlain } from "./width.ts";

/** A row: its runs fit the width it was made for. */
export interface Row {
  readonly runs: StyledLine;
  /** Columns in use. */
  readonly width: number;
}

const EMPTY: Row = { runs: [], width: 0 };

/**
 * Breaks a line at `width` columns (at least 1); stops when there are `most` rows, where a bound is given. A wide character
 * that would not fit a row of one column is a `?`.
 */
export function wrapLine(line: StyledLine, width: number, most = Number.POSITIVE_INFINITY): Row[] {
  const columns = columnsOf(width);
  const rows: Row[] = [];
  let runs: Run[] = [];
  let used = 0;
  const endRow = () => {
    rows.push({ runs, width: used });
    runs = [];
    used = 0;
  };
  for (const run of line) {
    for (const piece of piecesOf(run.text, columns, () => used)) {
      if (used + piece.width > columns) endRow();
      if (rows.length >= most) return rows;
      runs.push({ ...run, text: piece.text });
      used += piece.width;
    }
  }
  if (used > 0 || rows.length === 0) endRow();
  return rows;
}

interface Piece {
  readonly text: string;
  readonly width: number;
}

/** A text in pieces that each fit what is left of a row; `used` tells how much of the row is taken. */
function* piecesOf(text: string, columns: number, used: () => number): Generator<Piece> {
  if (isPlain(text)) {
    for (let at = 0; at < text.length; ) {
      const room = columns - used() || columns;
      const piece = text.slice(at, at + room);
      at += piece.length;
      yield { text: piece, width: piece.length };
    }
    return;
  }
  let piece = "";
  let width = 0;
  for (const cluster of clustersOf(text)) {
    const isTooWide = clusterWidth(cluster) > columns;
    const [shown, its] = isTooWide ? ["?", 1] : [cluster, clusterWidth(cluster)];
    if (used() + width + its > columns && piece !== "") {
      yield { text: piece, width };
      piece = "";
      width = 0;
    }
    piece += shown;
    width += its;
  }
  if (piece !== "") yield { text: piece, width };
}

/** Breaks lines; stops as soon as there are `most` rows, where a bound is given. */
export function wrapLines(lines: readonly StyledLine[], width: number, most = Number.POSITIVE_INFINITY): Row[] {
  const rows: Row[] = [];
  for (const line of lines) {
    // One by one: a call has no room for as many arguments as a line can have rows.
    for (const row of wrapLine(line, width)) rows.push(row);
    if (rows.length >= most) break;
  }
  return rows;
}

/** As much of a line as fits one row, with `…` where something was cut off. */
export function cutLine(line: StyledLine, width: number): Row {
  const columns = columnsOf(width);
  const [first = EMPTY, ...rest] = wrapLine(line, columns, 2);
  if (rest.length === 0) return first;
  const [shorter = EMPTY] = columns === 1 ? [] : wrapLine(line, columns - 1, 1);
  return { runs: [...shorter.runs, { text: "…", style: "" }], width: shorter.width + 1 };
}

/** How many rows a line fills. Plain text is counted and not broken. */
function countRows(line: StyledLine, width: number): number {
  if (!line.every(({ text }) => isPlain(text))) return wrapLine(line, width).length;
  const columns = columnsOf(width);
  const used = line.reduce((sum, { text }) => sum + text.length, 0);
  return Math.max(1, Math.ceil(used / columns));
}

/** The last `count` rows of some lines, and how many there are in all. Only what is shown is broken. */
export function lastRows(lines: readonly StyledLine[], width: number, count: number): { rows: Row[]; total: number } {
  const rows: Row[] = [];
  let total = 0;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? [];
    if (rows.length >= count) {
      total += countRows(line, width);
      continue;
    }
    const wrapped = wrapLine(line, width);
    total += wrapped.length;
    rows.unshift(...wrapped.slice(-(count - rows.length)));
  }
  return { rows, total };
}

/** A row as text for a terminal. `fill`: blanks up to so many columns. */
export function rowText({ runs, width }: Row = EMPTY, fill = 0): string {
  let text = "";
  let style = "";
  let link: string | undefined;
  for (const run of runs) {
    if (run.link !== link) text += `\x1b]8;;${run.link ?? ""}\x1b\\`;
    link = run.link;
    if (run.style !== style) text += (style === "" ? "" : "\x1b[0m") + (run.style === "" ? "" : `\x1b[${run.style}m`);
    style = run.style;
    text += run.text;
  }
  if (style !== "") text += "\x1b[0m";
  if (link !== undefined) text += "\x1b]8;;\x1b\\";
  return fill > width ? text + " ".repeat(fill - width) : text;
}
