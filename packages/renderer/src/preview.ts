/**
 * How much of a text is shown: all of it, or as many of its last rows as a screen has room for, with a line that says
 * what is missing. Rows are those of the screen: a long line fills several.
 */
import type { TextContent } from "@pi-bash/contract";
import { RESULT_PREVIEW_LINES } from "@pi-bash/contract/internal";
import { plainRun, type StyledLine, styledLines } from "./text/styled.ts";
import { lastRows, type Row, signedAs, wrapLines, wrapWords } from "./text/wrap.ts";
import { DEFAULT_THEME, type Theme } from "./theme.ts";

/** How a call is drawn: columns, theme, and how much of the output. */
export interface RenderOptions {
  /** Columns of the terminal, from 1; anything that is not a number counts as 80, as for a stream that is not a terminal. */
  readonly width: number;
  /** Rows of the terminal; default 30. */
  readonly rows?: number | undefined;
  /** Everything that the result has, instead of its end. Default false. */
  readonly expanded?: boolean | undefined;
  /** One row, for a call that is long past: its command, and how it ended. `expanded` counts more. Default false. */
  readonly collapsed?: boolean | undefined;
  readonly theme?: Theme | undefined;
  /** The whole output, where the host has read the artifact: shown instead of the result's text when expanded. */
  readonly fullOutput?: string | undefined;
  /** What expands; default `ctrl+o to expand`. */
  readonly expandHint?: string | undefined;
}

/** Rows of a terminal that does not say. */
const DEFAULT_ROWS = 30;
/** Rows that the rest of a screen needs. */
const RESERVED_ROWS = 20;
/** Least rows of a preview, however low the terminal is. */
const MIN_PREVIEW_ROWS = 6;

/** Rows of a collapsed output or command: at least 6, at most 10, 20 less than the terminal has. Default 30 rows. */
export function previewRows(terminalRows: number | undefined): number {
  const rows = terminalRows !== undefined && Number.isFinite(terminalRows) ? Math.floor(terminalRows) : DEFAULT_ROWS;
  const room = Math.max(MIN_PREVIEW_ROWS, rows - RESERVED_ROWS);
  return Math.min(RESULT_PREVIEW_LINES, room);
}

/** An output: all rows when expanded, else the last `most` of them, which is `previewRows` where no one says. */
export function outputRows(
  lines: readonly StyledLine[],
  options: RenderOptions,
  most = previewRows(options.rows),
): Row[] {
  if (options.expanded) return wrapLines(lines, options.width);
  const { rows, total } = lastRows(lines, options.width, most);
  if (total <= most) return rows;
  const hidden = total - most;
  const note = `… ${hidden} earlier ${hidden === 1 ? "line" : "lines"} (${expandHint(options)})`;
  return [...noteRows(note, options), ...rows];
}

/** A line of ours between the rows. */
export function noteRows(text: string, options: RenderOptions): Row[] {
  return signedAs("words", wrapWords([plainRun(text, themeOf(options).colours.dim)], options.width));
}

/** The text for the model: an error's, or of details that are not known. */
export function contentRows(content: readonly TextContent[], options: RenderOptions): Row[] {
  const text = content.map((part) => part.text).join("\n");
  return outputRows(styledLines(text, themeOf(options).hasColour), options);
}

/** `… 3 more tasks (ctrl+o to expand)`; nothing where none is hidden. `noun`: what there is one of. */
export function hiddenRows(count: number, noun: string, options: RenderOptions): Row[] {
  if (count <= 0) return [];
  return noteRows(`… ${count} more ${count === 1 ? noun : `${noun}s`} (${expandHint(options)})`, options);
}

/** What expands, in words. */
export function expandHint(options: RenderOptions): string {
  return options.expandHint ?? "ctrl+o to expand";
}

/** The theme that was asked for, or the default. */
export function themeOf(options: RenderOptions): Theme {
  return options.theme ?? DEFAULT_THEME;
}
