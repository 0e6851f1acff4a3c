/**
 * What is known of a task's terminal at a moment, worked out of the kernel's reports and of the screen.
 *
 * A report that was made before something was typed says nothing of now and is left out. A prompt has a number: it stays while the
 * same program asks the same thing and nothing was typed, whatever is drawn beside it.
 */
import type { QuietTerminal, TaskWaiting } from "@pi-bash/contract";
import { displayLine, MAX_PROMPT_CHARS } from "@pi-bash/contract/internal";
import { clippedStart } from "@pi-bash/contract/internal/text";
import type { PromptScreen, TerminalState } from "@pi-bash/terminal";
import type { TerminalReaderFacts } from "./terminal-port.ts";

/** By so much a report's time may be off, in milliseconds: it is of another clock. */
const REPORT_SLACK_MS = 20;

/**
 * What was typed and was answered by nothing, not even its echo, may not have reached its reader: the kernel hands it on by a
 * worker, which a busy machine runs late. So long after it, in milliseconds, a reader counts as one that waits again.
 */
const UNANSWERED_MS = 1_000;

/** Judges a report; `terminalState` of `@pi-bash/terminal`. */
type Judge = (quiet: QuietTerminal, screen: PromptScreen) => TerminalState;

export class TerminalFacts {
  /** When something was last written by the program or typed, in milliseconds of the monotonic clock. */
  #activeAtMs = performance.now();
  /** When something was last typed. */
  #typedAtMs = performance.now();
  /** The number of the prompt that stands, or of the last one. */
  prompt = 0;
  #state: TerminalState = { state: "running" };
  #quiet: QuietTerminal | undefined;
  #line = "";
  #promptKey = "";
  #typed = 0;
  /** Nothing was written since something was typed. */
  #isUnanswered = false;
  readonly #judge: Judge;
  readonly #mask: (text: string) => string;

  constructor(judge: Judge, mask: (text: string) => string) {
    this.#judge = judge;
    this.#mask = mask;
  }

  /** Something was written or typed: what was known is of before. */
  activity(wasTyped: boolean): void {
    this.#activeAtMs = performance.now();
    if (wasTyped) {
      this.#typedAtMs = this.#activeAtMs;
      this.#typed += 1;
    }
    this.#isUnanswered = wasTyped;
    this.#state = { state: "running" };
    this.#quiet = undefined;
  }

  /** Takes a report. False: it is of before something was typed. */
  report(quiet: QuietTerminal, screen: PromptScreen): boolean {
    if (quiet.quietMs > performance.now() - this.#typedAtMs + REPORT_SLACK_MS) return false;
    if (this.#isUnanswered && quiet.quietMs < UNANSWERED_MS) return false;
    this.#quiet = quiet;
    this.#line = screen.line;
    this.#state = this.#judge(quiet, screen);
    const { waiting } = this;
    if (waiting?.certain === true) this.#number(waiting);
    return true;
  }

  /** What waits for input. */
  get waiting(): TaskWaiting | undefined {
    const state = this.#state;
    if (state.state !== "waiting") return undefined;
    const asked = state.question ?? this.#line;
    const prompt = state.kind === "screen" ? "" : clippedStart(displayLine(this.#mask(asked)), MAX_PROMPT_CHARS);
    return {
      kind: state.kind,
      program: displayLine(state.program.name),
      since_ms: Math.round(Math.max(state.sinceMs, performance.now() - this.#activeAtMs)),
      ...(prompt === "" ? {} : { prompt }),
      certain: state.isCertain,
    };
  }

  /** What is typed is not shown, by the last report. */
  get isHidden(): boolean {
    const modes = this.#quiet?.modes;
    if (modes !== undefined && !modes.echo && modes.canonical) return true;
    return this.#state.state === "waiting" && this.#state.kind === "secret";
  }

  /** Who reads, by the last report. */
  get reader(): TerminalReaderFacts | undefined {
    const [denied] = this.#quiet?.denied ?? [];
    if (denied !== undefined) return { ...programOf(denied), isDenied: true };
    if (this.#state.state === "waiting" || this.#state.state === "keys") {
      return { ...programOf(this.#state.program), isDenied: false };
    }
    return undefined;
  }

  #number({ kind, program, prompt }: TaskWaiting): void {
    const key = JSON.stringify([kind, program, prompt, this.#typed]);
    if (key === this.#promptKey) return;
    this.#promptKey = key;
    this.prompt += 1;
  }
}

function programOf({ pid, name }: { pid: number; name: string }): { pid: number; name: string } {
  return { pid, name };
}
