/**
 * The renderer of the task tools: a call of `task`, `task_await`, `task_list`, `task_send` or `task_terminate`, or of one of their
 * older names, and its answer as rows of a terminal.
 *
 * Pure, as the renderer of the bash tool. What is drawn comes from `details`, which is checked against the contract's
 * schemas: a history may have been written by another version, and then the text for the model is shown as it is.
 */
import { type CallState, stateMark } from "../call-state.ts";
import { endingLine } from "../footer.ts";
import { behindGutter, collapsedRow, commandRows, type InnerOptions, inGutter } from "../layout.ts";
import { contentRows, type RenderOptions, themeOf } from "../preview.ts";
import { type Row, rowText } from "../text/wrap.ts";
import { answerRows } from "../tool-call.ts";
import {
  argumentsOf,
  bashDetailsOf,
  type UncheckedAnswer,
  type UncheckedCall,
  uncheckedState,
} from "../unchecked-call.ts";
import { awaitRows } from "./await-rows.ts";
import { listRows } from "./list-rows.ts";
import { startRows } from "./start-rows.ts";
import { awaitedOf, endedOf, listedOf, sentOf, startedOf, type TaskToolName } from "./task-details.ts";
import { headLines } from "./task-head.ts";
import { terminateRows } from "./terminate-rows.ts";

/** What is known of a call. */
export interface TaskCallView extends UncheckedCall {
  readonly tool: TaskToolName;
}

/** What a host knows of a call's answer. */
export type TaskAnswer = UncheckedAnswer;

/** A call and, where there is one, its answer. No row is wider than `options.width`. */
export function renderTaskCall(call: TaskCallView, answer: TaskAnswer | undefined, options: RenderOptions): string[] {
  const args = argumentsOf(call);
  const state = taskCallState(call, answer);
  const [first = [], ...rest] = headLines(call.tool, args, themeOf(options), options.expanded === true);
  const head = [[stateMark(state, themeOf(options).colours), ...first], ...rest];
  if (options.collapsed && !options.expanded) {
    const details = answer === undefined ? undefined : bashDetailsOf(answer);
    const ending = endingLine(details, state, themeOf(options).colours);
    return [rowText(collapsedRow(head, ending, options))];
  }
  const below = answer === undefined ? [] : resultRows(call.tool, answer, state, inGutter(options));
  return [...commandRows(head, options), ...behindGutter(below, options)].map((row) => rowText(row));
}

/** Where a call of a task tool stands. A task that goes on is `backgrounded`; waiting for one is a success. */
export function taskCallState(call: TaskCallView, answer: TaskAnswer | undefined): CallState {
  const state = uncheckedState(call, answer);
  const started = state === "success" && call.tool === "task" ? startedOf(answer?.details) : undefined;
  return started === undefined || started.status === "completed" ? state : "backgrounded";
}

function resultRows(tool: TaskToolName, answer: TaskAnswer, state: CallState, options: InnerOptions): Row[] {
  const { content, details } = answer;
  switch (tool) {
    case "task": {
      const started = startedOf(details);
      if (started !== undefined) return startRows(started, content, options);
      // An update, or what was thrown: the facts are those of a call of the bash tool.
      return answerRows({ ...answer, details: bashDetailsOf(answer) }, state, options);
    }
    case "task_await":
    case "bash_output": {
      const awaited = awaitedOf(details);
      return awaited === undefined ? contentRows(content, options) : awaitRows(awaited, content, options);
    }
    case "task_send": {
      const sent = sentOf(details);
      return sent === undefined ? contentRows(content, options) : awaitRows([sent], content, options);
    }
    case "task_list":
    case "bash_background_list": {
      const listed = listedOf(details);
      return listed === undefined ? contentRows(content, options) : listRows(listed, content, options);
    }
    case "task_terminate":
    case "bash_background_terminate": {
      const ended = endedOf(details);
      return ended === undefined ? contentRows(content, options) : terminateRows(ended, options);
    }
  }
}
