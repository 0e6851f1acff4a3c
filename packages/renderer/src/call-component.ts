/**
 * A call on a screen that is drawn again and again: remembers its rows until something that is in them changes.
 *
 * A screen with three hundred finished calls redraws all of them at each keystroke; each one answers with the rows of
 * last time. The shape (`render(width)`, `invalidate()`) is the one that terminal libraries ask of a component.
 */
import type { CallAnswer } from "./call-state.ts";
import { type CallView, type RenderOptions, renderBashCall } from "./tool-call.ts";

/** One call and its answer, drawn by `renderBashCall`. */
export class BashCallComponent {
  #call: CallView;
  #answer: CallAnswer | undefined;
  #options: Omit<RenderOptions, "width">;
  #rows: string[] | undefined;
  #width = 0;

  constructor(call: CallView, options: Omit<RenderOptions, "width"> = {}) {
    this.#call = call;
    this.#options = options;
  }

  /** Arguments as they come in, and the moment that the call is handed to the tool. */
  setCall(call: CallView): void {
    this.#call = call;
    this.invalidate();
  }

  /** The newest update or the result. */
  setAnswer(answer: CallAnswer): void {
    this.#answer = answer;
    this.invalidate();
  }

  /** Changes how it is drawn, e.g. `{ expanded: true }`. */
  setOptions(options: Partial<Omit<RenderOptions, "width">>): void {
    this.#options = { ...this.#options, ...options };
    this.invalidate();
  }

  /** Rows of at most `width` columns. The array belongs to the component: do not change it. */
  render(width: number): readonly string[] {
    if (this.#rows === undefined || this.#width !== width) {
      this.#rows = renderBashCall(this.#call, this.#answer, { ...this.#options, width });
      this.#width = width;
    }
    return this.#rows;
  }

  /** Draws anew at the next `render`. */
  invalidate(): void {
    this.#rows = undefined;
  }
}
