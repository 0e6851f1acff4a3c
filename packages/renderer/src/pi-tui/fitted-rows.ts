/**
 * Rows that pi-tui takes: it ends the program over a line that it counts as wider than the terminal, and its widths are
 * not ours for every character. Rows are measured once, by its own measure, and those that it finds too wide are broken
 * once more, or cut where the number of rows is fixed.
 */
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";

/** What becomes of a row that is too wide. */
export type TooWide = "break" | "cut";

export class FittedRows {
  readonly #tooWide: TooWide;
  #source: readonly string[] | undefined;
  #width = 0;
  #rows: string[] = [];

  constructor(tooWide: TooWide = "break") {
    this.#tooWide = tooWide;
  }

  /** The rows, none wider than `width` columns for pi-tui. The same rows and width give the same array. */
  of(source: readonly string[], width: number): string[] {
    if (this.#source === source && this.#width === width) return this.#rows;
    this.#source = source;
    this.#width = width;
    this.#rows = source.flatMap((row) => (visibleWidth(row) > width ? this.#fitted(row, width) : row));
    return this.#rows;
  }

  #fitted(row: string, width: number): string[] {
    const rows = this.#tooWide === "cut" ? [row] : wrapTextWithAnsi(row, width);
    return rows.map((part) => (visibleWidth(part) > width ? truncateToWidth(part, width, "") : part));
  }
}
