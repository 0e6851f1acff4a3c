/**
 * The renderer of the job tool: a call that waits for background jobs, ends some or lists them, and its answer as rows of
 * a terminal.
 *
 * Pure, as the renderer of the bash tool. What is drawn comes from `details`, which is checked against the contract's
 * schema: of a history that another version wrote, the text for the model is shown as it is.
 */
import { JobDetails } from "@pi-bash/contract";
import { type CallState, stateMark } from "../call-state.ts";
import { behindGutter, collapsedRow, commandRows, type InnerOptions, inGutter } from "../layout.ts";
import { contentRows, type RenderOptions, themeOf } from "../preview.ts";
import { type Row, rowText } from "../text/wrap.ts";
import { argumentsOf, type UncheckedAnswer, type UncheckedCall, uncheckedState } from "../unchecked-call.ts";
import { jobHead } from "./job-head.ts";
import { jobRows } from "./job-rows.ts";

/** What is known of a call. */
export type JobCallView = UncheckedCall;

/** What a host knows of a call's answer. */
export type JobAnswer = UncheckedAnswer;

/** A call and, where there is one, its answer. No row is wider than `options.width`. */
export function renderJobCall(call: JobCallView, answer: JobAnswer | undefined, options: RenderOptions): string[] {
  const { colours } = themeOf(options);
  const state = jobCallState(call, answer);
  const isWhole = call.args !== undefined;
  const head = [stateMark(state, colours), ...jobHead(argumentsOf(call), isWhole, colours)];
  if (options.collapsed && !options.expanded) return [rowText(collapsedRow([head], [], options))];
  const below = answer === undefined ? [] : answerRows(answer, state, inGutter(options));
  return [...commandRows([head], options), ...behindGutter(below, options)].map((row) => rowText(row));
}

/** Where a call of the job tool stands: a wait that ended well is a success, however the jobs ended. */
export function jobCallState(call: JobCallView, answer: JobAnswer | undefined): CallState {
  return uncheckedState(call, answer);
}

function answerRows({ content, details }: JobAnswer, state: CallState, options: InnerOptions): Row[] {
  const parsed = JobDetails.safeParse(details);
  if (!parsed.success) return contentRows(content, options);
  const { jobs, missingIds = [] } = parsed.data;
  if (jobs.length + missingIds.length === 0) return contentRows(content, options);
  return jobRows({ jobs, missingIds, isWaiting: state === "partial" }, options);
}
