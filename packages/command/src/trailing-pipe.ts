/**
 * Recognises what hides output at the end of a command line: `| head`, `| tail` with limits alone, and a `2>&1`
 * that changes nothing.
 *
 * Facts only; `fixups.ts` rewrites. The rules are narrow on purpose: a `head` that reads a file, follows it, starts
 * at a line, or whose output goes elsewhere is the command's meaning and not its trimming.
 */
import type { Command, Pipeline, PipelineNode, Script, Statement } from "unbash";
import type { Span } from "./word.ts";

/** A pipeline of the top level whose last stage only limits what is shown. */
export interface TrailingPipe {
  /** Everything before the pipe operator. */
  readonly producer: Span;
  readonly operator: "|" | "|&";
  /** The `head` or `tail` stage. */
  readonly consumer: Span;
  /** From the operator to the end of the stage, e.g. `| tail -3`. */
  readonly text: string;
}

/** A `2>&1` at the end of a segment of the top level. */
export interface RedundantRedirect {
  readonly span: Span;
  /** True when it stands before a trailing pipe, and is redundant only once that is taken away. */
  readonly feedsTrailingPipe: boolean;
}

/** What one segment (an item of a `&&`, `||`, `;` chain) ends in. */
export interface SegmentEnd {
  readonly pipe?: TrailingPipe;
  readonly redirect?: RedundantRedirect;
}

/**
 * The ends of the top-level segments, in order. Empty for text on several lines and for background lists.
 *
 * `keepsStage`: the stage stays in the command, so that it may have a `2>&1` of its own (`| tail -2 2>&1`).
 */
export function segmentEnds(source: string, script: Script, keepsStage = false): SegmentEnd[] {
  if (source.trimEnd().includes("\n")) return [];
  // After `exec 2>file` standard error goes elsewhere, and a `2>&1` is no longer redundant.
  const redirectsShell = /\bexec\b[^;&|]*[<>]/.test(source);
  return script.commands.flatMap(segments).map((segment) => {
    const end = endOf(source, segment, keepsStage);
    return redirectsShell && end.redirect !== undefined ? { ...(end.pipe && { pipe: end.pipe }) } : end;
  });
}

function segments(statement: Statement): readonly PipelineNode[] {
  if (statement.background === true) return [];
  return statement.command.type === "AndOr" ? statement.command.commands : [statement.command];
}

function endOf(source: string, segment: PipelineNode, keepsStage: boolean): SegmentEnd {
  const stages = segment.type === "Pipeline" ? segment.commands : [segment];
  const last = stages.at(-1);
  if (last?.type !== "Command" || hasHereDocument(segment)) return {};
  const pipe = segment.type === "Pipeline" ? trailingPipe(source, segment, keepsStage) : undefined;
  if (pipe === undefined) {
    // A redirection of `head` itself is no leftover of trimming.
    const trims = stages.length > 1 && /^(?:head|tail)$/.test(last.name?.text ?? "");
    const redirect = trims ? undefined : redundantRedirect(last, false);
    return redirect === undefined ? {} : { redirect };
  }
  const before = stages.at(-2);
  const redirect = before?.type === "Command" && pipe.operator === "|" ? redundantRedirect(before, true) : undefined;
  return { pipe, ...(redirect && { redirect }) };
}

function trailingPipe(source: string, pipeline: Pipeline, keepsStage: boolean): TrailingPipe | undefined {
  const stage = pipeline.commands.at(-1);
  const producer = pipeline.commands.at(-2);
  const first = pipeline.commands[0];
  const operator = pipeline.operators.at(-1);
  if (stage?.type !== "Command" || producer === undefined || first === undefined || operator === undefined)
    return undefined;
  if (!onlyLimits(stage, keepsStage)) return undefined;
  const at = source.indexOf(operator, producer.end);
  return {
    producer: { start: first.pos, end: producer.end },
    operator,
    consumer: { start: stage.pos, end: stage.end },
    text: source.slice(at, stage.end),
  };
}

const COUNT = String.raw`\d+(?:[bkKMGTPEZY](?:i?B)?)?`;
const LIMIT = new RegExp(`^(?:-\\d+|-[nc]=?${COUNT}|--(?:lines|bytes)=${COUNT}|-[qv]+|--quiet|--verbose)$`);
const LIMIT_WITH_NEXT = /^(?:-n|-c|--lines|--bytes)$/;

/**
 * `head` or `tail` with limiting options and nothing else, written without quotes, assignments or redirections, but for
 * a `2>&1` at the end where that may stay.
 */
function onlyLimits(stage: Command, mayRedirect: boolean): boolean {
  if (stage.prefix.length > 0 || (stage.name?.text !== "head" && stage.name?.text !== "tail")) return false;
  const items = mayRedirect && redundantRedirect(stage, false) !== undefined ? stage.suffix.slice(0, -1) : stage.suffix;
  const words = items.map((item) => (item.type === "Word" ? item.text : undefined));
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    if (word === undefined) return false;
    if (LIMIT.test(word)) continue;
    if (!LIMIT_WITH_NEXT.test(word) || !new RegExp(`^${COUNT}$`).test(words[index + 1] ?? "")) return false;
    index++;
  }
  return true;
}

/** `2>&1` as the last thing of a command that has no other redirection. */
function redundantRedirect(command: Command, feedsTrailingPipe: boolean): RedundantRedirect | undefined {
  const last = command.suffix.at(-1);
  if (command.name === undefined || command.redirects.length !== 1 || last?.type !== "Redirect") return undefined;
  const descriptor = last.descriptor?.type === "FileDescriptor" ? last.descriptor.value : undefined;
  if (last.operator !== ">&" || descriptor !== 2 || last.target?.text !== "1") return undefined;
  return { span: { start: last.pos, end: last.end }, feedsTrailingPipe };
}

function hasHereDocument(segment: PipelineNode): boolean {
  const stages = segment.type === "Pipeline" ? segment.commands : [segment];
  return stages.some(
    (stage) =>
      (stage.type === "Command" || stage.type === "Redirected") &&
      stage.redirects.some((redirect) => redirect.type === "HereDoc"),
  );
}
