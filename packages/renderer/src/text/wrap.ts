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
  /** What stands in it, where it is not a command's output. */
  readonly sign?: Sign;
}

/**
 * What a row of a call is: words of ours, the first row of a notice, the status of the call. Of no sign is what a command
 * wrote, and a command.
 */
export type Sign = "words" | "notice" | "status";

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

/**
 * Breaks a line between words, where one word does not fill most of a row; `hanging` stands before each row but the first. The
 * blank at a break is not shown.
 */
export function wrapWords(line: StyledLine, width: number, hanging: StyledLine = []): Row[] {
  const columns = columnsOf(width);
  const indent = unitsIn(hanging);
  if (indent * 2 > columns || columns < LEAST_COLUMNS) return wrapLine(line, columns);
  const further = (row: Row): Row => prefixed(row, hanging);
  const [first, left] = firstRow(line, columns);
  const rows = [first];
  let rest = left;
  while (rest !== undefined) {
    if (unitsIn(rest) > MOST_UNITS) {
      for (const row of wrapLine(rest, columns - indent)) rows.push(further(row));
      break;
    }
    const [row, others] = firstRow(rest, columns - indent);
    rows.push(further(row));
    rest = others;
  }
  return rows;
}

function unitsIn(line: StyledLine): number {
  return line.reduce((sum, { text }) => sum + text.length, 0);
}

/** The first row of a line that is broken between words, and what is left of the line. */
export function firstRow(line: StyledLine, columns: number): [row: Row, left: StyledLine | undefined] {
  const [whole = EMPTY, next] = wrapLine(line, columns, 2);
  if (next === undefined) return [whole, undefined];
  const text = whole.runs.map((run) => run.text).join("");
  const follows = unitsOf(line, text.length, 1);
  const blank = follows === " " ? text.length : text.lastIndexOf(" ");
  // A word that fills most of the row is broken: else a path would leave half a screen empty.
  const at = blank * LEAST_FILLED < text.length ? text.length : blank;
  const left = dropUnits(line, at === text.length && follows !== " " ? at : at + 1);
  const [row = EMPTY] = at === text.length ? [whole] : wrapLine(takeUnits(line, at), columns, 1);
  return [row, left.length === 0 ? undefined : left];
}

/** Fewer columns have no room for words. */
const LEAST_COLUMNS = 4;

/** A longer line is not prose: it is broken at the edge, in UTF-16 units. */
const MOST_UNITS = 4_096;

/** A row is broken between words where that leaves at least a third of it in use. */
const LEAST_FILLED = 3;

function unitsOf(line: StyledLine, from: number, count: number): string {
  return takeUnits(dropUnits(line, from), count)
    .map((run) => run.text)
    .join("");
}

function takeUnits(line: StyledLine, count: number): StyledLine {
  const taken: Run[] = [];
  let left = count;
  for (const run of line) {
    if (left <= 0) break;
    taken.push({ ...run, text: run.text.slice(0, left) });
    left -= run.text.length;
  }
  return taken;
}

function dropUnits(line: StyledLine, count: number): StyledLine {
  let left = count;
  for (const [at, run] of line.entries()) {
    if (run.text.length > left) return [{ ...run, text: run.text.slice(left) }, ...line.slice(at + 1)];
    left -= run.text.length;
  }
  return [];
}

/** A row with something before it, each of whose characters has one column. */
export function prefixed(row: Row, before: StyledLine): Row {
  return { ...row, runs: [...before, ...row.runs], width: row.width + unitsIn(before) };
}

/** The rows with a sign, in place of the one they had. */
export function signedAs(sign: Sign, rows: readonly Row[]): Row[] {
  return rows.map((row) => ({ ...row, sign }));
}

/** Breaks lines; stops as soon as there are `most` rows, where a bound is given. */
export function wrapLines(lines: readonly StyledLine[], width: number, most = Number.POSITIVE_INFINITY): Row[] {
  const rows: Row[] = [];
  for (const line of lines) {
    // One by one: a call has no room for as many arguments as a line can have rows.
    for (const row of wrapWords(line, width)) rows.push(row);
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

/** How many rows a line fills. Plain text that fits a row is counted and not broken. */
function countRows(line: StyledLine, width: number, hanging: StyledLine): number {
  if (unitsIn(line) <= columnsOf(width) && line.every(({ text }) => isPlain(text))) return 1;
  return wrapWords(line, width, hanging).length;
}

/** The last `count` rows of some lines, and how many there are in all. Only what is shown is broken. */
export function lastRows(
  lines: readonly StyledLine[],
  width: number,
  count: number,
  hanging: StyledLine = [],
): { rows: Row[]; total: number } {
  const rows: Row[] = [];
  let total = 0;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? [];
    if (rows.length >= count) {
      total += countRows(line, width, hanging);
      continue;
    }
    const wrapped = wrapWords(line, width, hanging);
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
