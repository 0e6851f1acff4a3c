/**
 * Calls, tasks and jobs as components of Ink. Their rows are remembered until a property changes: keep `call` and `answer` the
 * same objects for as long as nothing in them has changed.
 */
import { type ReactElement, useMemo } from "react";
import type { CallAnswer } from "../call-state.ts";
import { type JobAnswer, type JobCallView, renderJobCall } from "../jobs/job-call.ts";
import type { RenderOptions } from "../preview.ts";
import { renderTaskCall, type TaskAnswer, type TaskCallView } from "../tasks/task-call.ts";
import { type CallView, renderBashCall } from "../tool-call.ts";
import { rowsElement, useTerminalSize } from "./rows.ts";

/** How a call is drawn. `width`: default all columns of the terminal; `rows`: default those of the terminal. */
type Drawn = Partial<RenderOptions>;

/** A call of `bash`, to be drawn. */
export interface BashCallProps extends Drawn {
  readonly call: CallView;
  /** The newest update or the result. */
  readonly answer?: CallAnswer | undefined;
}

/** One call of the bash tool and its answer. */
export function BashCall({ call, answer, ...options }: BashCallProps): ReactElement {
  return useDrawn(renderBashCall, call, answer, options);
}

/** A call of a task tool, to be drawn. */
export interface TaskCallProps extends Drawn {
  readonly call: TaskCallView;
  /** The newest update or the result. */
  readonly answer?: TaskAnswer | undefined;
}

/** One call of a task tool and its answer. */
export function TaskCall({ call, answer, ...options }: TaskCallProps): ReactElement {
  return useDrawn(renderTaskCall, call, answer, options);
}

/** A call of the job tool, to be drawn. */
export interface JobCallProps extends Drawn {
  readonly call: JobCallView;
  /** The newest update or the result. */
  readonly answer?: JobAnswer | undefined;
}

/** One call of the job tool and its answer. */
export function JobCall({ call, answer, ...options }: JobCallProps): ReactElement {
  return useDrawn(renderJobCall, call, answer, options);
}

type Draw<Call, Answer> = (call: Call, answer: Answer | undefined, options: RenderOptions) => readonly string[];

function useDrawn<Call, Answer>(
  draw: Draw<Call, Answer>,
  call: Call,
  answer: Answer | undefined,
  options: Drawn,
): ReactElement {
  const terminal = useTerminalSize();
  const { width = terminal.columns, rows = terminal.rows, expanded, theme, fullOutput, expandHint } = options;
  return useMemo(
    () => rowsElement(draw(call, answer, { width, rows, expanded, theme, fullOutput, expandHint })),
    [draw, call, answer, width, rows, expanded, theme, fullOutput, expandHint],
  );
}
