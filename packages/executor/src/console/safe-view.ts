/**
 * A window on a program, as far as it can be trusted: it may throw, reject, or never answer, and the command goes on.
 */
import { settlesWithin } from "@pi-bash/contract/internal/wait";
import type { ConsoleView, PtyEnd } from "./console-port.ts";

export class SafeView {
  #view: ConsoleView | undefined;
  readonly #boundMs: number;

  /** `boundMs`: time one chunk may take; a window that needs longer is shown no more. */
  constructor(view: ConsoleView | undefined, boundMs: number) {
    this.#view = view;
    this.#boundMs = boundMs;
  }

  get size(): { cols: number | undefined; rows: number | undefined } {
    return { cols: this.#view?.cols, rows: this.#view?.rows };
  }

  get answersQueries(): boolean {
    return this.#view?.answersQueries === true;
  }

  /** Shows a chunk; resolves when the window has taken it, or cannot be waited for. Never rejects. */
  async show(chunk: string): Promise<void> {
    if (this.#view?.onData === undefined) return;
    try {
      const taken = Promise.resolve(this.#view.onData(chunk));
      let failure: { error: unknown } | undefined;
      const isInTime = await settlesWithin(
        taken.catch((error: unknown) => {
          failure = { error };
        }),
        this.#boundMs,
      );
      if (failure !== undefined) throw failure.error;
      if (!isInTime) throw new Error("it did not take its output in time");
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** Says how the program ended. */
  end(end: PtyEnd): void {
    try {
      this.#view?.onEnd?.(end);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  #giveUp(error: unknown): void {
    this.#view = undefined;
    warnAboutWindow(error);
  }
}

/** The host's mistake, reported to the host. */
export function warnAboutWindow(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  process.emitWarning(`a console window failed and is shown no more: ${reason}`, { code: "PI_LISTENER_FAILED" });
}
