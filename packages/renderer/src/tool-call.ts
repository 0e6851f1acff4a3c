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
import {
  behindGutter,
  collapsedRow,
  commandRows,
  type InnerOptions,
  inGutter,
  noticeRows,
  signedNotice,
  statusRows,
} from "./layout.ts";
import { type PartialArguments, partialArguments } from "./partial-json.ts";
import { noteRows, outputRows, type RenderOptions, themeOf } from "./preview.ts";
import { refusalText, splitResult, splitStarted, splitStopped } from "./result-text.ts";
import { highlight } from "./syntax.ts";
import { plainRun, type Run, type StyledLine, styledLines } from "./text/styled.ts";
import { type Row, rowText, signedAs, wrapLines, wrapWords } from "./text/wrap.ts";
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
    ...(answer === undefined ? [] : answerRows(answer, state, inner, args.timeout)),
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
  return signedAs("words", wrapWords(runs, options.width));
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

/** What a bash tool answered: its output, the warnings, the status. `askedSeconds`: the deadline that the call named. */
export function answerRows(answer: CallAnswer, state: CallState, options: InnerOptions, askedSeconds?: number): Row[] {
  const { colours, hasColour } = themeOf(options);
  const { details } = answer;
  const whole = options.expanded ? options.fullOutput : undefined;
  const { output, news } = partsOf(answer, state);
  const isBlocked = state === "blocked";
  const lines = styledLines(whole ?? output, hasColour);
  const known = whole === undefined ? details : withoutTruncation(details);
  const changes = details?.applied ?? [];
  return [
    ...(whole === undefined || lines.length === 0 ? [] : noteRows("The whole output", options)),
    ...(isBlocked ? signedNotice(wrapLines(lines, options.width)) : outputRows(lines, options)),
    ...noticeRows([...news, ...warningTexts(known)], options),
    ...changes.flatMap((change) => noteRows(change, options)),
    ...statusRows(statusLine(details, state, colours, askedSeconds), options),
  ];
}

/** What the command wrote, without what the tool says to the model: a person has that in the status and the notices. */
function partsOf({ content, details }: CallAnswer, state: CallState): { output: string; news: readonly string[] } {
  const { output } = splitResult(content);
  switch (state) {
    case "timed out":
    case "cancelled":
      return splitStopped(output);
    case "backgrounded":
      return { output: splitStarted(output, details?.async?.jobId ?? ""), news: [] };
    case "blocked":
      return { output: refusalText(output), news: [] };
    default:
      return { output, news: [] };
  }
}

function withoutTruncation(details: CallAnswer["details"]): CallAnswer["details"] {
  if (details?.meta?.truncation === undefined) return details;
  const { truncation: _, ...meta } = details.meta;
  return { ...details, meta };
}
