/**
 * A person's own command (`!command`): the command behind the sign that was typed, its newest output, and how it ended.
 *
 * Fed with chunks while the command runs, and with the result when it ended. What is kept of a stream is bounded, however
 * much comes: as many lines as a collapsed frame can ever show, several times over.
 */
import type { BashDetails, BashResult } from "@pi-bash/contract";
import { artifactUrl, BANG_LINE_CHARS, BANG_PREVIEW_LINES } from "@pi-bash/contract/internal";
import { type CallState, callState, stateMark } from "./call-state.ts";
import { statusLine } from "./footer.ts";
import { behindGutter, commandRows, inGutter, noticeRows, statusRows } from "./layout.ts";
import { noteRows } from "./preview.ts";
import { highlight } from "./syntax.ts";
import { plainRun, type StyledLine, styledLines } from "./text/styled.ts";
import { clip, columnsOf, displayWidth } from "./text/width.ts";
import { rowText, wrapLines } from "./text/wrap.ts";
import { DEFAULT_THEME, type Theme } from "./theme.ts";

/** Lines kept while a command writes, in multiples of the preview. */
const KEPT_PREVIEWS = 5;
const KEPT_LINES = BANG_PREVIEW_LINES * KEPT_PREVIEWS;

/** Longest unfinished line that is kept, in UTF-16 units; a line that long is not read by anyone. */
const MAX_LINE_UNITS = 64 * 1024;

/** How a person's own command is drawn: theme, hints of keys, whether the model sees it. */
export interface BashExecutionOptions {
  readonly theme?: Theme;
  /** `!!`: the model does not see it. */
  readonly isExcludedFromContext?: boolean;
  /** What expands; default `ctrl+o to expand`. */
  readonly expandHint?: string;
  /** What ends the command; default `esc to cancel`. */
  readonly cancelHint?: string;
}

/** One command of a person. */
export class BashExecutionComponent {
  readonly #command: string;
  readonly #options: BashExecutionOptions;
  #lines: string[] = [];
  #open = "";
  #lineCount = 0;
  #result: BashResult | undefined;
  #error: string | undefined;
  #isExpanded = false;
  #rows: string[] | undefined;
  #width = 0;

  constructor(command: string, options: BashExecutionOptions = {}) {
    this.#command = command;
    this.#options = options;
  }

  /** The next piece of output. Of a large one only the lines that are kept are looked at; the others are counted. */
  append(chunk: string): void {
    const end = chunk.lastIndexOf("\n");
    if (end === -1) {
      this.#open = keptEnd(this.#open + chunk);
    } else {
      const from = startOfLastLines(chunk, end);
      const ended = `${from === 0 ? this.#open : ""}${chunk.slice(from, end)}`.split("\n");
      this.#lineCount += countNewlines(chunk);
      this.#lines = [...this.#lines, ...ended.map(keptEnd)].slice(-KEPT_LINES);
      this.#open = keptEnd(chunk.slice(end + 1));
    }
    this.invalidate();
  }

  /** How it ended. The result's output replaces what was shown while it ran. */
  finish(result: BashResult): void {
    this.#result = result;
    const lines = result.output.replace(/\n$/, "").split("\n");
    this.#lines = result.output === "" ? [] : lines;
    this.#open = "";
    // A whole output has the lines that it shows; one of only escape sequences has none, though it was counted as one.
    this.#lineCount = result.truncated ? Math.max(this.#lines.length, result.totalLines) : this.#lines.length;
    this.invalidate();
  }

  /** It never ran. */
  fail(message: string): void {
    this.#error = message;
    this.invalidate();
  }

  /** All lines of the result, or the last ones. */
  setExpanded(isExpanded: boolean): void {
    this.#isExpanded = isExpanded;
    this.invalidate();
  }

  /** Rows of at most `width` columns, from 1. */
  render(width: number): readonly string[] {
    const columns = columnsOf(width);
    if (this.#rows === undefined || this.#width !== columns) {
      this.#rows = this.#draw(columns);
      this.#width = columns;
    }
    return this.#rows;
  }

  /** Draws again at the next `render`. */
  invalidate(): void {
    this.#rows = undefined;
  }

  #draw(columns: number): string[] {
    const { colours, hasColour } = this.#theme();
    const options = { width: columns, theme: this.#theme(), expanded: true };
    const inner = inGutter(options);
    const shown = this.#shownLines();
    const hidden = this.#lineCount + (this.#open === "" ? 0 : 1) - shown.length;
    const hint = this.#isExpanded ? "" : ` (${this.#options.expandHint ?? "ctrl+o to expand"})`;
    const output = styledLines(shown.map(clampLine).join("\n"), hasColour);
    const below = [
      ...(hidden > 0 ? noteRows(`… ${hidden} more ${hidden === 1 ? "line" : "lines"}${hint}`, inner) : []),
      ...wrapLines(output, inner.width),
      ...noticeRows(this.#warnings(), inner),
      ...statusRows([this.#status()], inner),
    ];
    const [first = [], ...rest] = highlight(this.#command, colours);
    const sign = { text: this.#options.isExcludedFromContext ? "!! " : "! ", style: colours.prompt };
    const head = [[stateMark(this.#state(), colours), sign, ...first], ...rest];
    return [...commandRows(head, options), ...behindGutter(below, options)].map((row) => rowText(row));
  }

  #state(): CallState {
    if (this.#error !== undefined) return "failed";
    if (this.#result === undefined) return "running";
    const { exitCode, survivors = [] } = this.#result;
    return callState({ content: [], details: { ...factsOf(this.#result), survivors }, isError: exitCode !== 0 }, true);
  }

  #shownLines(): string[] {
    const all = this.#open === "" ? this.#lines : [...this.#lines, this.#open];
    return this.#isExpanded ? all : all.slice(-BANG_PREVIEW_LINES);
  }

  /** What a reader must not miss of the result. */
  #warnings(): string[] {
    if (this.#result === undefined) return [];
    const { truncated, artifactId, artifactError, survivors = [], sessionReset } = this.#result;
    const place =
      artifactId === undefined ? (artifactError ?? "the rest is not kept") : `Full: ${artifactUrl(artifactId)}`;
    return [
      ...(truncated ? [`Output truncated. ${place}`] : []),
      ...(survivors.length > 0 ? [`Still running: ${survivors.map(({ pid }) => pid).join(", ")}`] : []),
      ...(sessionReset ? ["The shell was replaced"] : []),
    ];
  }

  #status(): StyledLine {
    const { colours } = this.#theme();
    const unseen = this.#options.isExcludedFromContext ? [plainRun(" · not for the model", colours.dim)] : [];
    if (this.#error !== undefined) return [plainRun(this.#error, colours.error), ...unseen];
    if (this.#result === undefined) {
      return [plainRun(`Running… (${this.#options.cancelHint ?? "esc to cancel"})`, colours.running), ...unseen];
    }
    const [line = []] = statusLine(factsOf(this.#result), this.#state(), colours);
    return [...this.#unsaid(line), ...line, ...unseen];
  }

  /** What the status of a call leaves out: that it ended well, or without a status. */
  #unsaid(line: StyledLine): StyledLine {
    const { dim } = this.#theme().colours;
    const { exitCode, cancelled, timedOut } = this.#result ?? {};
    if (cancelled || timedOut || (exitCode !== undefined && exitCode !== 0)) return [];
    const words = exitCode === undefined ? "no exit status" : this.#lines.length === 0 ? "no output" : "exit 0";
    return [plainRun(line.length === 0 ? words : `${words} · `, dim)];
  }

  #theme(): Theme {
    return this.#options.theme ?? DEFAULT_THEME;
  }
}

/** How a command ended, as the facts of a call have it: what is still running is a notice of its own. */
function factsOf({ exitCode, wallTimeMs, timedOut, cancelled }: BashResult): BashDetails {
  const stopped = timedOut ? "deadline" : cancelled ? "cancelled" : undefined;
  return {
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(wallTimeMs === undefined ? {} : { wallTimeMs }),
    ...(stopped === undefined ? {} : { stopped }),
  };
}

/** Where the last lines that are kept begin in a text whose last newline is at `end`; 0 where it has no more. */
function startOfLastLines(text: string, end: number): number {
  let at = end;
  for (let lines = 0; lines < KEPT_LINES && at > 0; lines += 1) {
    at = text.lastIndexOf("\n", at - 1);
    if (at === -1) return 0;
  }
  return at === 0 ? 0 : at + 1;
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** The end of a line that grows without end. */
function keptEnd(line: string): string {
  if (line.length <= MAX_LINE_UNITS) return line;
  return line.slice(-MAX_LINE_UNITS);
}

/** At most `BANG_LINE_CHARS` columns of a line. */
function clampLine(line: string): string {
  // Escape sequences take no columns: a line is only looked at closely when it could be too long.
  if (line.length <= BANG_LINE_CHARS) return line;
  const text =
    styledLines(line, false)[0]
      ?.map((run) => run.text)
      .join("") ?? "";
  const width = displayWidth(text);
  if (width <= BANG_LINE_CHARS) return line;
  return `${clip(text, BANG_LINE_CHARS + 1).replace(/…$/, "")}… [${width - BANG_LINE_CHARS} visible columns omitted]`;
}
