/**
 * The tool-call renderer: one call and its answer as rows of a terminal.
 *
 * Pure: the same call, answer and options give the same rows, and no row is wider than asked. What costs (wrapping an
 * output of 50 KB) is remembered by `CallView`, so that a screen with hundreds of finished calls is redrawn for nothing.
 */
import { RESULT_PREVIEW_LINES } from "@pi-bash/contract";
import { type CallAnswer, type CallState, callState, STATE_MARKS } from "./call-state.ts";
import { footerLine, warningLines } from "./footer.ts";
import { type PartialArguments, partialArguments } from "./partial-json.ts";
import { outputOf } from "./result-text.ts";
import { highlight } from "./syntax.ts";
import { plainRun, type Run, type StyledLine, styledLines } from "./text/styled.ts";
import { lastRows, type Row, rowText, wrapLines } from "./text/wrap.ts";
import { DEFAULT_THEME, type Role, type Theme } from "./theme.ts";

/** What is known of a call. */
export interface CallView {
  /** The arguments, once they are complete. */
  readonly args?: PartialArguments | undefined;
  /** The arguments' JSON as far as it was streamed, while it is. */
  readonly argsText?: string | undefined;
  /** The session's directory: a `cwd` that says nothing new is not shown. */
  readonly sessionCwd?: string | undefined;
  /** Handed to the tool. Default: there are arguments. */
  readonly isStarted?: boolean | undefined;
}

/** How it is drawn. */
export interface RenderOptions {
  /** Columns of the terminal, from 1. */
  readonly width: number;
  /** Rows of the terminal; default 30. */
  readonly rows?: number | undefined;
  /** Everything that the result has, instead of its end. Default false. */
  readonly expanded?: boolean | undefined;
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

const STATE_ROLES: Readonly<Record<CallState, Role>> = {
  pending: "dim",
  running: "running",
  partial: "running",
  success: "success",
  failed: "error",
  "timed out": "warning",
  cancelled: "warning",
  backgrounded: "accent",
  blocked: "error",
};

/** Rows of a collapsed output or command. */
export function previewRows(terminalRows: number | undefined): number {
  const room = Math.max(MIN_PREVIEW_ROWS, Math.floor(terminalRows ?? DEFAULT_ROWS) - RESERVED_ROWS);
  return Math.min(RESULT_PREVIEW_LINES, room);
}

/** A call and, where there is one, its answer. */
export function renderBashCall(call: CallView, answer: CallAnswer | undefined, options: RenderOptions): string[] {
  const state = callState(answer, call.isStarted ?? call.args !== undefined);
  const rows = [
    ...commandRows(call, state, options),
    ...(answer === undefined ? [] : answerRows(answer, state, options)),
  ];
  return rows.map((row) => rowText(row));
}

function commandRows(call: CallView, state: CallState, options: RenderOptions): Row[] {
  const { colours } = options.theme ?? DEFAULT_THEME;
  const args = call.args ?? (call.argsText === undefined ? {} : partialArguments(call.argsText));
  const mark: Run = { text: `${STATE_MARKS[state]} `, style: colours[STATE_ROLES[state]] };
  const lines = highlight(args.command ?? "…", colours);
  const first: StyledLine = [
    mark,
    { text: "$ ", style: colours.prompt },
    ...directoryRuns(args.cwd, call.sessionCwd, theme(options)),
    ...environmentRuns(args.env, theme(options)),
    ...(lines[0] ?? []),
  ];
  const all = [first, ...lines.slice(1)];
  if (options.expanded) return wrapLines(all, options.width);
  const most = previewRows(options.rows);
  const { rows, total } = lastRows(all, options.width, most);
  if (total <= most) return rows;
  const hidden = total - most;
  return [...noteRows(`… ${hidden} earlier ${hidden === 1 ? "line" : "lines"}`, options), ...rows];
}

function directoryRuns(cwd: string | undefined, sessionCwd: string | undefined, { colours }: Theme): Run[] {
  if (cwd === undefined || cwd === sessionCwd) return [];
  return [
    { text: "cd ", style: colours.dim },
    plainRun(cwd, colours.directory),
    { text: " && ", style: colours.operator },
  ];
}

function environmentRuns(env: Readonly<Record<string, string>> | undefined, { colours }: Theme): Run[] {
  return Object.keys(env ?? {})
    .sort()
    .flatMap((name) => [
      plainRun(`${name}=`, colours.variable),
      plainRun(JSON.stringify(env?.[name] ?? ""), colours.string),
      { text: " ", style: "" },
    ]);
}

function answerRows(answer: CallAnswer, state: CallState, options: RenderOptions): Row[] {
  const { colours, hasColour } = theme(options);
  const isWhole = options.expanded && options.fullOutput !== undefined;
  const text = isWhole ? (options.fullOutput ?? "") : outputOf(answer.content);
  const lines = styledLines(text, hasColour);
  const label: StyledLine[] =
    lines.length === 0 ? [] : [[{ text: isWhole ? "Output (whole)" : "Output", style: colours.label }]];
  const notes = [
    ...warningLines(isWhole ? withoutTruncation(answer.details) : answer.details, colours),
    ...footerLine(answer.details, state, colours),
  ];
  return [
    ...wrapLines(label, options.width),
    ...(options.expanded ? wrapLines(lines, options.width) : collapsed(lines, options)),
    ...wrapLines(notes, options.width),
  ];
}

function collapsed(lines: readonly StyledLine[], options: RenderOptions): Row[] {
  const most = previewRows(options.rows);
  const { rows, total } = lastRows(lines, options.width, most);
  if (total <= most) return rows;
  const hint = options.expandHint ?? "ctrl+o to expand";
  return [...noteRows(`… (${total - most} earlier lines, showing ${most} of ${total}) (${hint})`, options), ...rows];
}

function noteRows(text: string, options: RenderOptions): Row[] {
  return wrapLines([[plainRun(text, theme(options).colours.dim)]], options.width);
}

function withoutTruncation(details: CallAnswer["details"]): CallAnswer["details"] {
  if (details?.meta?.truncation === undefined) return details;
  const { truncation: _, ...meta } = details.meta;
  return { ...details, meta };
}

function theme(options: RenderOptions): Theme {
  return options.theme ?? DEFAULT_THEME;
}
