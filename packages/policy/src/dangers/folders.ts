/**
 * Follows the `cd`s of a line: the folder each of its commands runs in.
 */
import type { CommandAnalysis, EffectiveCommand, SimpleCommand, Span, Word } from "@pi-bash/command";
import type { Folder, PathContext } from "../danger-paths.ts";
import { MAX_PATH_CHARS, stepThrough } from "../folders.ts";
import { protectedMatch } from "../protected-folders.ts";
import { expandWord, type Field, knownText, textField, type Values } from "./values/fields.ts";

interface Step {
  readonly folder: Folder;
  /** Where the shell ends that went there. */
  readonly until: number;
  /** Where `popd` leads. */
  readonly pushed: Pushed | undefined;
  /** Where the shell around that one is. */
  readonly below: Step | undefined;
}

/** Where the shell is behind a command that moved it. */
interface Move {
  readonly start: number;
  readonly step: Step;
}

/** A folder that `pushd` left, with those below it. */
interface Pushed {
  readonly folder: Folder;
  readonly below: Pushed | undefined;
}

/** Where commands run. */
export class Folders {
  readonly #start: Folder;
  readonly #known = new Map<EffectiveCommand | SimpleCommand, Folder>();
  readonly #moves: Move[] = [];

  constructor(analysis: CommandAnalysis, start: PathContext, values: (command: EffectiveCommand) => Values) {
    this.#start = start;
    const shells = new Shells(analysis);
    let here = firstStep(start);
    for (const command of analysis.effective) {
      const place = command.simple.span.start;
      here = stepAt(here, place);
      this.#known.set(command, here.folder);
      this.#known.set(command.simple, here.folder);
      if (!moves(command)) continue;
      here = { ...stepAfter(command, here, values(command)), until: endOfShell(command, shells), below: here };
      this.#moves.push({ start: place, step: here });
    }
    this.#followLaunched(analysis, values);
  }

  /** What launchers start begins where they are; a `cd` in a text for a shell holds for the rest of the text. */
  #followLaunched({ perhaps }: CommandAnalysis, values: (command: EffectiveCommand) => Values): void {
    let text: { readonly span: Span; readonly step: Step } | undefined;
    for (const command of perhaps) {
      const { simple, written } = command;
      const own = this.#known.get(simple);
      const goesOn = own === undefined && text?.span.start === simple.span.start && text.span.end === simple.span.end;
      const folder = own ?? this.#known.get(written) ?? this.#start;
      const here: Step = goesOn && text !== undefined ? text.step : firstStep(folder);
      this.#known.set(command, here.folder);
      text = own === undefined ? { span: simple.span, step: here } : undefined;
      if (text === undefined || !moves(command)) continue;
      const after = { ...stepAfter(command, here, values(command)), until: here.until, below: undefined };
      text = { span: simple.span, step: after };
    }
  }

  /** The folder of a command; for what runs no program, a redirection alone, the one that the line is in there. */
  of(command: EffectiveCommand | SimpleCommand): Folder {
    const known = this.#known.get(command);
    if (known !== undefined) return known;
    const place = command.span.start;
    const last = this.#moves.findLast(({ start }) => start <= place);
    return last === undefined ? this.#start : stepAt(last.step, place).folder;
  }
}

/** A shell before any `cd`. */
function firstStep(folder: Folder): Step {
  return { folder, until: Number.POSITIVE_INFINITY, pushed: undefined, below: undefined };
}

/** Where the shell is at a place behind a step: subshells that have ended there are left. */
function stepAt(step: Step, place: number): Step {
  let here = step;
  while (here.until <= place && here.below !== undefined) here = here.below;
  return here;
}

/** Where a path leads from a folder; undefined may be any. */
export function folderAt(path: string | undefined, { cwd, lost: _, ...places }: Folder): Folder {
  if (path === undefined || (cwd === undefined && !path.startsWith("/"))) return { ...places, lost: true };
  const there = stepThrough(path.startsWith("/") ? "" : (cwd ?? ""), path);
  return there.length > MAX_PATH_CHARS ? { ...places, lost: true } : { ...places, cwd: there };
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

/** A program of that name moves only itself: `sudo cd /` does nothing. */
function moves({ argv, via }: EffectiveCommand): boolean {
  const isBuiltin = /^(?:builtin|command|eval|time|trap|source|\.|.* -c|.* <<.*)$/.test(via.at(-1) ?? "eval");
  return isBuiltin && /^(?:cd|pushd|popd)$/.test(argv[0]?.value ?? "");
}

function stepAfter(
  command: EffectiveCommand,
  { folder, pushed }: Step,
  values: Values,
): Pick<Step, "folder" | "pushed"> {
  const name = command.argv[0]?.value;
  // Without a `pushd` in the line `popd` goes where the session has been, or nowhere.
  if (name === "popd")
    return pushed === undefined ? { folder, pushed } : { folder: pushed.folder, pushed: pushed.below };
  const after = folderAt(targetOf(command, folder, values), folder);
  return { folder: after, pushed: name === "pushd" ? { folder, below: pushed } : pushed };
}

/** The folder that is named; undefined where it may be any. */
function targetOf(command: EffectiveCommand, here: Folder, values: Values): string | undefined {
  const [word, ...more] = operandsOf(command.argv);
  // With two folders bash 4.4 and newer stay where they are, and older ones go to the first.
  if (more.length > 0) return undefined;
  if (word === undefined) return command.argv[0]?.value === "cd" ? homeIn(here, values) : undefined;
  const fields = expandWord(word, values);
  const texts = fields.map(knownText);
  const text = new Set(texts).size === 1 ? (texts[0] ?? patternTarget(fields, here)) : undefined;
  if (text === undefined || /^(?:-|[-+]\d+)$/.test(text)) return undefined;
  return byCdPath(text, here, values) ?? text;
}

/** `HOME=/; cd` goes to the root folder. */
function homeIn({ home }: Folder, values: Values): string | undefined {
  const [text, ...others] = new Set(values.variable("HOME").map(knownText));
  return others.length > 0 || text === undefined || text === values.home ? home : text;
}

function operandsOf([, ...words]: readonly Word[]): readonly Word[] {
  const first = words.findIndex(({ value }) => !/^-[LPe@n]+$/.test(value ?? ""));
  const rest = first === -1 ? [] : words.slice(first);
  return rest[0]?.value === "--" ? rest.slice(1) : rest;
}

/** `cd /e*` goes to `/etc`; what may be no protected folder is some folder like that. */
function patternTarget([field, ...more]: readonly Field[], here: Folder): string | undefined {
  if (field === undefined || more.length > 0 || field.some(({ kind }) => kind === "unknown")) return undefined;
  return protectedMatch(field, here) ?? field.map((part) => (part.kind === "text" ? part.text : "any-name")).join("");
}

/** `CDPATH=/; cd etc` goes to `/etc`, where there is no such folder here. */
function byCdPath(text: string, here: Folder, values: Values): string | undefined {
  if (/^\.{0,2}(?:\/|$)/.test(text)) return undefined;
  const places = values.variable("CDPATH").flatMap((field) => (knownText(field) ?? "").split(":"));
  const found = places
    .filter((place) => place !== "")
    .map((place) => protectedMatch(textField(`${place}/${text}`), here));
  return found.find((path) => path !== undefined);
}
