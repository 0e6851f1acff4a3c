/**
 * Follows the `cd`s of a line: the folder each of its commands runs in.
 */
import type { CommandAnalysis, EffectiveCommand, SimpleCommand, Span } from "@pi-bash/command";
import type { Folder, PathContext } from "../danger-paths.ts";
import { MAX_PATH_CHARS, stepThrough } from "../folders.ts";
import { expandWord, knownText, type Values } from "./fields.ts";

interface Step {
  readonly folder: Folder;
  /** Where the shell ends that went there. */
  readonly until: number;
}

/** Where commands run. */
export class Folders {
  readonly #start: Folder;
  readonly #known = new Map<EffectiveCommand | SimpleCommand, Folder>();

  constructor(analysis: CommandAnalysis, start: PathContext, values: (command: EffectiveCommand) => Values) {
    this.#start = start;
    const shells = new Shells(analysis);
    const steps: Step[] = [{ folder: start, until: Number.POSITIVE_INFINITY }];
    for (const command of analysis.effective) {
      while ((steps.at(-1)?.until ?? 0) <= command.simple.span.start) steps.pop();
      const here = steps.at(-1)?.folder ?? start;
      this.#known.set(command, here);
      this.#known.set(command.simple, here);
      if (!/^(?:cd|pushd)$/.test(command.argv[0]?.value ?? "")) continue;
      steps.push({ folder: folderAfter(command, here, values(command)), until: endOfShell(command, shells) });
    }
  }

  /** The folder of a command; that of the line for what has none. */
  of(command: EffectiveCommand | SimpleCommand): Folder {
    return this.#known.get(command) ?? this.#start;
  }
}

/** A `cd` in a subshell is over at its end, and one in the text of `bash -c` at the end of that. */
function endOfShell(command: EffectiveCommand, shells: Shells): number {
  const { span, context } = command.simple;
  if (command.simple !== command.written && !command.via.includes("eval")) return command.written.span.end;
  if (!context.subshell && !context.substitution) return Number.POSITIVE_INFINITY;
  return shells.endAround(span);
}

/** The subshells and substitutions of a line, asked for from left to right. */
class Shells {
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

function folderAfter(command: EffectiveCommand, here: Folder, values: Values): Folder {
  const target = targetOf(command, here, values);
  const { cwd: _, lost: __, ...places } = here;
  if (target === undefined) return { ...places, lost: true };
  if (!target.startsWith("/") && here.cwd === undefined) return here;
  const path = stepThrough(target.startsWith("/") ? "" : (here.cwd ?? ""), target);
  return path.length > MAX_PATH_CHARS ? { ...places, lost: true } : { ...places, cwd: path };
}

/** The folder that is named; undefined where it may be any. */
function targetOf(command: EffectiveCommand, { home }: Folder, values: Values): string | undefined {
  const words = command.argv.slice(1).filter(({ value }) => !/^-(?:[LPe@]+|-)$/.test(value ?? ""));
  const [word, ...more] = words;
  if (word === undefined) return home;
  const fields = more.length === 0 ? expandWord(word, values) : [];
  const texts = fields.map(knownText);
  return new Set(texts).size === 1 && texts[0] !== "-" ? texts[0] : undefined;
}
