/**
 * A call on a screen that is drawn again and again: remembers its rows until something that is in them changes.
 *
 * A screen with three hundred finished calls redraws all of them at each keystroke; each one answers with the rows of
 * last time. The shape (`render(width)`, `invalidate()`) is the one that terminal libraries ask of a component.
 */
import type { CallAnswer } from "./call-state.ts";
import { type JobAnswer, type JobCallView, renderJobCall } from "./jobs/job-call.ts";
import type { RenderOptions } from "./preview.ts";
import { renderTaskCall, type TaskAnswer, type TaskCallView } from "./tasks/task-call.ts";
import { type CallView, renderBashCall } from "./tool-call.ts";

/** Options of a component: the width is given at each `render`. */
export type CallOptions = Omit<RenderOptions, "width">;

type Draw<Call, Answer> = (call: Call, answer: Answer | undefined, options: RenderOptions) => readonly string[];

class CallComponent<Call, Answer> {
  readonly #draw: Draw<Call, Answer>;
  #call: Call;
  #answer: Answer | undefined;
  #options: CallOptions;
  #rows: readonly string[] | undefined;
  #width = 0;

  constructor(draw: Draw<Call, Answer>, call: Call, options: CallOptions) {
    this.#draw = draw;
    this.#call = call;
    this.#options = options;
  }

  /** Arguments as they come in, and the moment that the call is handed to the tool. */
  setCall(call: Call): void {
    this.#call = call;
    this.invalidate();
  }

  /** The newest update or the result. */
  setAnswer(answer: Answer): void {
    this.#answer = answer;
    this.invalidate();
  }

  /** Changes how it is drawn, e.g. `{ expanded: true }`. */
  setOptions(options: Partial<CallOptions>): void {
    this.#options = { ...this.#options, ...options };
    this.invalidate();
  }

  /** Rows of at most `width` columns. The array belongs to the component: do not change it. */
  render(width: number): readonly string[] {
    if (this.#rows === undefined || this.#width !== width) {
      this.#rows = this.#draw(this.#call, this.#answer, { ...this.#options, width });
      this.#width = width;
    }
    return this.#rows;
  }

  /** Draws again at the next `render`. */
  invalidate(): void {
    this.#rows = undefined;
  }
}

/** One call of the bash tool and its answer, drawn by `renderBashCall`. */
export class BashCallComponent extends CallComponent<CallView, CallAnswer> {
  constructor(call: CallView, options: CallOptions = {}) {
    super(renderBashCall, call, options);
  }
}

/** One call of a task tool and its answer, drawn by `renderTaskCall`. */
export class TaskCallComponent extends CallComponent<TaskCallView, TaskAnswer> {
  constructor(call: TaskCallView, options: CallOptions = {}) {
    super(renderTaskCall, call, options);
  }
}

/** One call of the job tool and its answer, drawn by `renderJobCall`. */
export class JobCallComponent extends CallComponent<JobCallView, JobAnswer> {
  constructor(call: JobCallView, options: CallOptions = {}) {
    super(renderJobCall, call, options);
  }
}
