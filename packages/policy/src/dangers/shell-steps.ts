/**
 * Where the shells of a line are as it goes on: each `cd` is a step, and steps of subshells end with those.
 */
import type { CommandAnalysis, EffectiveCommand, Span } from "@pi-bash/command";
import type { Folder } from "../danger-paths.ts";
import type { Place } from "./folder-stack.ts";

/** Where a shell is behind a `cd`. */
export interface Step extends Place {
  /** Where the command ends that went there: what its own words run is run before. */
  readonly from: number;
  /** Where the shell ends that went there. */
  readonly until: number;
  /** Where the shell around that one is. */
  readonly below: Step | undefined;
}

/** A shell before any `cd`. */
export function firstStep(folder: Folder): Step {
  return { folder, from: 0, until: Number.POSITIVE_INFINITY, pushed: undefined, below: undefined };
}

/** The step that counts at a place behind it: subshells that have ended there are left. */
export function shellAt(step: Step, place: number): Step {
  let here = step;
  while (here.until <= place && here.below !== undefined) here = here.below;
  return here;
}

/** Where the shell is at a place behind a step, also in the words that lead there: `cd "$(git rev-parse --show-toplevel)"`. */
export function stepAt(step: Step, place: number): Step {
  let here = shellAt(step, place);
  while (place < here.from && here.below !== undefined) here = shellAt(here.below, place);
  return here;
}

/** Commands in a text for a shell all stand where the text does. */
export function endOfWords({ simple, written }: EffectiveCommand): number {
  return simple === written ? simple.span.end : simple.span.start;
}

/** A `cd` in a subshell is over at its end, and one in the text of `bash -c` at the end of that. */
export function endOfShell(command: EffectiveCommand, shells: Shells): number {
  const { span, context } = command.simple;
  if (command.simple !== command.written && !command.via.includes("eval")) return command.written.span.end;
  if (!context.subshell && !context.substitution) return Number.POSITIVE_INFINITY;
  return shells.endAround(span);
}

/** The subshells and substitutions of a line, asked for from left to right. */
export class Shells {
  readonly #spans: readonly Span[];
  readonly #open: Span[] = [];
  #next = 0;

  constructor({ constructs }: CommandAnalysis) {
    this.#spans = constructs
      .filter(({ kind }) => /^(?:subshell|command-|process-)/.test(kind))
      .map(({ span }) => span)
      .toSorted((a, b) => a.start - b.start);
  }

  /** The end of the innermost one around a place. */
  endAround({ start, end }: Span): number {
    for (
      let span = this.#spans[this.#next];
      span !== undefined && span.start <= start;
      span = this.#spans[this.#next]
    ) {
      this.#open.push(span);
      this.#next++;
    }
    while (this.#open.length > 0 && (this.#open.at(-1)?.end ?? 0) < end) this.#open.pop();
    return this.#open.at(-1)?.end ?? Number.POSITIVE_INFINITY;
  }
}
