/**
 * The tool-call renderer: one call and its answer as rows of a terminal.
 *
 * Pure: the same call, answer and options give the same rows, and no row is wider than asked. `BashCallComponent`
 * remembers what is expensive (wrapping an output of 50 KB), so that hundreds of finished calls are redrawn cheaply.
 */
import { displayText } from "@pi-bash/contract";
import { displayLine } from "@pi-bash/contract/internal";
import { type CallAnswer, type CallState, callState, stateMark } from "./call-state.ts";
import { endingLine, statusLine, warningTexts } from "./footer.ts";
import { behindGutter, collapsedRow, commandRows, inGutter, noticeRows, statusRows } from "./layout.ts";
import { type PartialArguments, partialArguments } from "./partial-json.ts";
import { noteRows, outputRows, type RenderOptions, themeOf } from "./preview.ts";
import { splitResult } from "./result-text.ts";
import { startedBox } from "./started-box.ts";
import { highlight } from "./syntax.ts";
import { plainRun, type Run, type StyledLine, styledLines } from "./text/styled.ts";
import { type Row, rowText, wrapWords } from "./text/wrap.ts";
import type { Theme } from "./theme.ts";

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

/**
 * A call and, where there is one, its answer.
 *
 * ```ts
 * import { renderBashCall, themeFor } from "@pi-bash/renderer";
 *
 * const call = { args: { command: "make test" } };
 * const answer = { content: [{ type: "text", text: "ok\n\nWall time: 0.10 seconds" }], isError: false } as const;
 * for (const row of renderBashCall(call, answer, { width: 80, theme: themeFor(process.env) })) console.log(row);
 * ```
 */
export function renderBashCall(call: CallView, answer: CallAnswer | undefined, options: RenderOptions): string[] {
  const state = callState(answer, call.isStarted ?? call.args !== undefined);
  const args = argumentsOf(call);
  const head = headLines(call, args, state, options);
  if (options.collapsed && !options.expanded) {
    const ending = endingLine(answer?.details, state, themeOf(options).colours);
    return [rowText(collapsedRow(head, ending, options))];
  }
  const inner = inGutter(options);
  const below = [
    ...descriptionRows(args.description, state, inner),
    ...(answer === undefined ? [] : startedRows(answer, args.command, inner)),
    ...(answer === undefined ? [] : answerRows(answer, state, inner)),
  ];
  return [...commandRows(head, options), ...behindGutter(below, options)].map((row) => rowText(row));
}

function argumentsOf({ args, argsText }: CallView): PartialArguments {
  return args ?? (argsText === undefined ? {} : partialArguments(argsText));
}

/** What the call says it does: `Running: Build the project` for as long as it does. */
function descriptionRows(description: string | undefined, state: CallState, options: RenderOptions): Row[] {
  const text = displayLine(description ?? "").trim();
  if (text === "") return [];
  const { colours } = themeOf(options);
  const isRunning = state === "running" || state === "partial";
  const runs = isRunning ? [plainRun("Running: ", colours.label), plainRun(text)] : [plainRun(text, colours.dim)];
  return wrapWords(runs, options.width);
}

/** The box of a call that went on as a job. */
function startedRows({ details }: CallAnswer, command: string | undefined, options: RenderOptions): Row[] {
  if (details?.async?.state !== "running") return [];
  return startedBox({ id: details.async.jobId, command, artifactId: details.artifactId }, options);
}

function headLines(call: CallView, args: PartialArguments, state: CallState, options: RenderOptions): StyledLine[] {
  const theme = themeOf(options);
  const lines = highlight(args.command ?? "…", theme.colours);
  const first: StyledLine = [
    stateMark(state, theme.colours),
    { text: "$ ", style: theme.colours.prompt },
    ...directoryRuns(args.cwd, call.sessionCwd, theme),
    ...environmentRuns(args.env, theme),
    ...(lines[0] ?? []),
  ];
  return [first, ...lines.slice(1)];
}

function directoryRuns(cwd: string | undefined, sessionCwd: string | undefined, { colours }: Theme): Run[] {
  if (cwd === undefined || cwd === sessionCwd) return [];
  return [
    { text: "cd ", style: colours.dim },
    plainRun(displayText(cwd), colours.directory),
    { text: " && ", style: colours.operator },
  ];
}

function environmentRuns(env: Readonly<Record<string, string>> | undefined, { colours }: Theme): Run[] {
  return Object.keys(env ?? {})
    .sort()
    .flatMap((name) => [
      plainRun(`${name}=`, colours.variable),
      plainRun(displayText(JSON.stringify(env?.[name] ?? "")), colours.string),
      { text: " ", style: "" },
    ]);
}

/** What a bash tool answered: its output, the warnings, the status. */
export function answerRows(answer: CallAnswer, state: CallState, options: RenderOptions): Row[] {
  const { colours, hasColour } = themeOf(options);
  const isWhole = options.expanded && options.fullOutput !== undefined;
  const text = isWhole ? (options.fullOutput ?? "") : splitResult(answer.content).output;
  const lines = styledLines(text, hasColour);
  const isBlocked = state === "blocked";
  // Output needs no title: the gutter says what it is.
  const title = isBlocked ? "Command blocked" : isWhole ? "The whole output" : undefined;
  const label: Run[] =
    lines.length === 0 || title === undefined
      ? []
      : [{ text: title, style: isBlocked ? colours.error : colours.label }];
  const changes = answer.details?.applied ?? [];
  return [
    ...(label.length === 0 ? [] : wrapWords(label, options.width)),
    ...outputRows(lines, options),
    ...noticeRows(warningTexts(isWhole ? withoutTruncation(answer.details) : answer.details), options),
    ...changes.flatMap((change) => noteRows(change, options)),
    ...statusRows(statusLine(answer.details, state, colours), options),
  ];
}

function withoutTruncation(details: CallAnswer["details"]): CallAnswer["details"] {
  if (details?.meta?.truncation === undefined) return details;
  const { truncation: _, ...meta } = details.meta;
  return { ...details, meta };
}
