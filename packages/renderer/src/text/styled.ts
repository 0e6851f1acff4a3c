/**
 * Text that is safe to show: lines of runs, each with a style, and nothing that a terminal would obey.
 *
 * What a command wrote is data. Of its escape sequences only colours (SGR), the erasing of a line and checked links
 * survive; titles, clipboard writes, queries, cursor jumps, images, private modes and everything unterminated are gone
 * before a character reaches a person's terminal. A carriage return starts its line over, as on a terminal.
 */
import { escapePattern } from "./escapes.ts";
import { isSafeTarget, spelledTarget, withTargets } from "./links.ts";
import { SgrState } from "./sgr.ts";
import { visible } from "./visible.ts";
import { clustersOf, clusterWidth, isPlain } from "./width.ts";

/** Text in one style. */
export interface Run {
  /** No control characters, no tabs, no newlines. */
  readonly text: string;
  /** SGR parameters; empty for none. */
  readonly style: string;
  /** Target of a link, already checked. */
  readonly link?: string;
}

/** One line. */
export type StyledLine = readonly Run[];

/** Nothing in it needs a second look. */
const HARMLESS = /^[\n\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0600\u3001-\u3163\u3165-\ud7ff]*$/;

/** At the beginning of a run: what makes the character before it an emoji or a key cap. */
const JOINS_BEFORE = /^[\ufe0f\u20e3]/;

const TAB_COLUMNS = 8;

const TOKEN = escapePattern();

/** Splits a text into safe lines. A last newline ends the last line and begins no further one. */
export function styledLines(text: string, hasColour = true): StyledLine[] {
  if (text === "") return [];
  const ended = text.endsWith("\n") ? text.slice(0, -1) : text;
  if (HARMLESS.test(ended)) return ended.split("\n").map((line) => (line === "" ? [] : [{ text: line, style: "" }]));
  const builder = new LineBuilder(hasColour);
  let from = 0;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(ended); match !== null; match = TOKEN.exec(ended)) {
    builder.text(ended.slice(from, match.index));
    from = match.index + match[0].length;
    builder.control(match[0], match[1], match[2], match[3]);
  }
  builder.text(ended.slice(from));
  return builder.finish();
}

/** One line of plain text in one style; controls are removed, hidden characters written out. */
export function plainRun(text: string, style = ""): Run {
  const [line = []] = styledLines(text.replaceAll(/[\r\n]+/g, " "), false);
  return { text: line.map((run) => run.text).join(""), style };
}

interface Cell {
  readonly text: string;
  readonly width: number;
  readonly style: string;
  readonly link: string | undefined;
}

/** Collects lines. A line becomes cells only when something in it goes back. */
class LineBuilder {
  readonly #hasColour: boolean;
  readonly #lines: StyledLine[] = [];
  readonly #sgr = new SgrState();
  #style = "";
  #link: string | undefined;
  /** A link that was refused: its target is shown after its text. */
  #refused: string | undefined;
  #runs: Run[] = [];
  #column = 0;
  #cells: (Cell | undefined)[] | undefined;

  constructor(hasColour: boolean) {
    this.#hasColour = hasColour;
  }

  text(text: string): void {
    if (text === "") return;
    // What would join the run before is counted by no one: it would widen that run's last character.
    const shown = visible(text).replace(JOINS_BEFORE, (joiner) => `\\u{${joiner === "\ufe0f" ? "fe0f" : "20e3"}}`);
    if (this.#cells === undefined) this.#append(shown);
    else this.#overwrite(shown);
  }

  control(token: string, parameters = "", final = "", command: string | undefined = undefined): void {
    if (token.endsWith("\n")) this.#endLine();
    else if (token === "\t") this.#tab();
    else if (token === "\r") this.#goTo(0);
    else if (token === "\b") this.#goTo(Math.max(0, this.#column - 1));
    else if (final === "m") this.#colour(parameters);
    else if (final === "K") this.#erase(parameters);
    else if (command?.startsWith("8;")) this.#hyperlink(command);
  }

  finish(): StyledLine[] {
    this.#endLine();
    return this.#lines;
  }

  #append(text: string): void {
    const last = this.#runs.at(-1);
    if (last !== undefined && last.style === this.#style && last.link === this.#link) {
      this.#runs[this.#runs.length - 1] = { ...last, text: last.text + text };
    } else {
      this.#runs.push(this.#run(text));
    }
    this.#column += isPlain(text) ? text.length : widthOf(text);
  }

  #run(text: string): Run {
    return this.#link === undefined ? { text, style: this.#style } : { text, style: this.#style, link: this.#link };
  }

  #overwrite(text: string): void {
    const cells = this.#toCells();
    if (isPlain(text)) {
      for (const character of text) {
        cells[this.#column] = { text: character, width: 1, style: this.#style, link: this.#link };
        this.#column += 1;
      }
      return;
    }
    for (const cluster of clustersOf(text)) {
      const width = clusterWidth(cluster);
      if (width === 0) continue;
      cells[this.#column] = { text: cluster, width, style: this.#style, link: this.#link };
      if (width === 2) cells[this.#column + 1] = undefined;
      this.#column += width;
    }
  }

  #tab(): void {
    this.text(" ".repeat(TAB_COLUMNS - (this.#column % TAB_COLUMNS)));
  }

  #goTo(column: number): void {
    if (this.#column === column) return;
    this.#toCells();
    this.#column = column;
  }

  #colour(parameters: string): void {
    if (!this.#hasColour || /[<=>?]/.test(parameters)) return;
    this.#sgr.apply(parameters);
    this.#style = this.#sgr.toString();
  }

  /** `CSI K`: from here to the end of the line; 1: to here; 2: all of it. */
  #erase(parameters: string): void {
    const cells = this.#toCells();
    const from = parameters === "1" || parameters === "2" ? 0 : this.#column;
    const to = parameters === "1" ? Math.min(this.#column + 1, cells.length) : cells.length;
    for (let at = from; at < to; at += 1) cells[at] = { text: " ", width: 1, style: "", link: undefined };
    if (to === cells.length) cells.length = from;
  }

  /** `8;params;target`; an empty target ends the link. */
  #hyperlink(command: string): void {
    if (this.#refused !== undefined) this.text(spelledTarget(this.#refused));
    this.#refused = undefined;
    const target = command.slice(command.indexOf(";", 2) + 1);
    const isSafe = isSafeTarget(target);
    this.#link = isSafe && this.#hasColour ? target : undefined;
    if (target !== "" && !isSafe) this.#refused = target;
  }

  #toCells(): (Cell | undefined)[] {
    if (this.#cells !== undefined) return this.#cells;
    const cells: (Cell | undefined)[] = [];
    for (const { text, style, link } of this.#runs) {
      for (const cluster of clustersOf(text)) {
        const width = clusterWidth(cluster);
        if (width === 0) continue;
        cells.push({ text: cluster, width, style, link });
        if (width === 2) cells.push(undefined);
      }
    }
    this.#cells = cells;
    return cells;
  }

  #endLine(): void {
    this.#lines.push(withTargets(this.#cells === undefined ? this.#runs : runsOf(this.#cells)));
    this.#runs = [];
    this.#cells = undefined;
    this.#column = 0;
  }
}

function widthOf(text: string): number {
  let width = 0;
  for (const cluster of clustersOf(text)) width += clusterWidth(cluster);
  return width;
}

/** The cells as runs. Half of a wide character that was written over is a blank, as on a terminal. */
function runsOf(cells: readonly (Cell | undefined)[]): Run[] {
  const runs: Run[] = [];
  const add = (text: string, style: string, link: string | undefined) => {
    const last = runs.at(-1);
    if (last !== undefined && last.style === style && last.link === link) {
      runs[runs.length - 1] = { ...last, text: last.text + text };
    } else runs.push(link === undefined ? { text, style } : { text, style, link });
  };
  for (let column = 0; column < cells.length; ) {
    const cell = cells[column];
    const isHalf =
      cell !== undefined && cell.width === 2 && column + 1 < cells.length && cells[column + 1] !== undefined;
    if (cell === undefined || isHalf) add(" ", "", undefined);
    else add(cell.text, cell.style, cell.link);
    column += cell === undefined || isHalf ? 1 : cell.width;
  }
  return runs;
}
