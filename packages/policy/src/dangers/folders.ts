/**
 * Follows the `cd`s of a line: the folder each of its commands runs in.
 */
import {
  analyzeCommand,
  type CommandAnalysis,
  type EffectiveCommand,
  type SimpleCommand,
  type Span,
  type Word,
} from "@pi-bash/command";
import { firstValue } from "@pi-bash/command/internal";
import { CHANGES_FOLDER, RUNS_IN_SHELL } from "../builtins.ts";
import type { Folder, PathContext } from "../danger-paths.ts";
import { MAX_PATH_CHARS, stepThrough } from "../folders.ts";
import { protectedMatch } from "../protected-folders.ts";
import { clearsStack, lost, type Place, stackAfter } from "./folder-stack.ts";
import { endOfShell, endOfWords, firstStep, Shells, type Step, shellAt, stepAt } from "./shell-steps.ts";
import { expandWord, type Field, knownText, textField, type Values } from "./values/fields.ts";

/** Where the shell is behind a command that moved it. */
interface Move {
  readonly start: number;
  readonly step: Step;
}

/** What is known of the commands of a line. */
export interface FolderSources {
  values(command: EffectiveCommand): Values;
  /** The texts that `eval` and `source` run in the shell itself, where the line does not show them as they are. */
  texts(command: EffectiveCommand): readonly string[];
}

/** Commands of a line whose texts are looked at. */
const MAX_TEXTS = 64;

/** Where commands run. */
export class Folders {
  readonly #start: Folder;
  readonly #known = new Map<EffectiveCommand | SimpleCommand, Folder>();
  readonly #moves: Move[] = [];
  readonly #sources: FolderSources;
  readonly #settings: Settings;
  #texts = 0;

  constructor(analysis: CommandAnalysis, start: PathContext, sources: FolderSources) {
    this.#start = start;
    this.#sources = sources;
    this.#settings = settingsOf(analysis);
    const shells = new Shells(analysis);
    let here = firstStep(start);
    for (const command of analysis.effective) {
      const place = command.simple.span.start;
      here = shellAt(here, place);
      const at = stepAt(here, place);
      this.#known.set(command, at.folder);
      this.#known.set(command.simple, at.folder);
      const after = this.#placeAfter(command, at);
      if (after === undefined) continue;
      here = { ...after, from: endOfWords(command), until: endOfShell(command, shells), below: here };
      this.#moves.push({ start: place, step: here });
    }
    // Twice: a function may be called in another.
    for (let round = 0; round < 2; round++) this.#moveBodies(analysis);
    this.#followLaunched(analysis);
  }

  /** The body of a function runs where the function is called; a `cd` in the body holds from there on. */
  #moveBodies({ constructs, effective }: CommandAnalysis): void {
    const calls = new Map<string, Set<Folder>>();
    for (const command of effective) {
      const name = firstValue(command.argv);
      if (name !== command.simple.context.functionName)
        calls.set(name, (calls.get(name) ?? new Set()).add(this.of(command)));
    }
    const definitions = new Map(
      constructs.flatMap((each) => (each.kind === "function" ? [[each.name, this.#at(each.span.start)] as const] : [])),
    );
    for (const command of effective) {
      const { simple } = command;
      const name = simple.context.functionName ?? "";
      const [folder, ...others] = calls.get(name) ?? [];
      if (folder === undefined || this.#known.get(command) !== definitions.get(name)) continue;
      const there = others.every(({ cwd }) => cwd === folder.cwd) ? folder : lost(folder);
      for (const each of [command, simple]) this.#known.set(each, there);
    }
  }

  #at(place: number): Folder {
    const last = this.#moves.findLast(({ start }) => start <= place);
    return last === undefined ? this.#start : stepAt(last.step, place).folder;
  }

  /** Where a command goes; undefined where it stays. */
  #placeAfter(command: EffectiveCommand, here: Place): Place | undefined {
    if (moves(command)) return stepAfter(command, here, this.#sources.values(command), this.#settings);
    if (!runsText(command) || ++this.#texts > MAX_TEXTS) return undefined;
    const ends = this.#sources.texts(command).map((text) => this.#endOf(text, here.folder));
    const found = ends.flatMap((folder) => folder ?? []);
    const [folder, ...others] = found;
    if (folder === undefined) return undefined;
    const isOne = found.length === ends.length && others.every(({ cwd }) => cwd === folder.cwd);
    return { ...here, folder: isOne ? folder : lost(folder) };
  }

  /** Where a text goes that runs in a folder; undefined where it stays. */
  #endOf(text: string, folder: Folder): Folder | undefined {
    return new Folders(analyzeCommand(text), folder, { ...this.#sources, texts: () => [] }).#end();
  }

  /** Where the line goes; undefined where it stays. */
  #end(): Folder | undefined {
    const last = this.#moves.at(-1);
    return last === undefined ? undefined : stepAt(last.step, Number.MAX_SAFE_INTEGER).folder;
  }

  /** What launchers start begins where they are; a `cd` in a text for a shell holds for the rest of the text. */
  #followLaunched({ perhaps }: CommandAnalysis): void {
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
      const after = stepAfter(command, here, this.#sources.values(command), this.#settings);
      text = { span: simple.span, step: { ...here, ...after } };
    }
  }

  /** The folder of a command; for what runs no program, a redirection alone, the one that the line is in there. */
  of(command: EffectiveCommand | SimpleCommand): Folder {
    return this.#known.get(command) ?? this.#at(command.span.start);
  }
}

/** Where a path leads from a folder; undefined may be any. */
export function folderAt(path: string | undefined, { cwd, lost: _, ...places }: Folder): Folder {
  if (path === undefined || (cwd === undefined && !path.startsWith("/"))) return { ...places, lost: true };
  const there = stepThrough(path.startsWith("/") ? "" : (cwd ?? ""), path);
  return there.length > MAX_PATH_CHARS ? { ...places, lost: true } : { ...places, cwd: there };
}

/** A program of that name moves only itself: `sudo cd /` does nothing. */
function moves(command: EffectiveCommand): boolean {
  const { argv } = command;
  return runsInShell(command) && (CHANGES_FOLDER.has(firstValue(argv)) || clearsStack(argv));
}

function runsInShell({ via }: EffectiveCommand): boolean {
  return /^(?:builtin|command|eval|time|trap|source|\.|.* -c|.* <<.*)$/.test(via.at(-1) ?? "eval");
}

/** `eval "$(x)"`, `source <(x)` and `$x`: what they run may go elsewhere. */
function runsText(command: EffectiveCommand): boolean {
  const [program] = command.argv;
  if (program === undefined || !runsInShell(command)) return false;
  return program.value === null || RUNS_IN_SHELL.has(program.value);
}

/** What a line sets that changes where a `cd` leads. */
interface Settings {
  /** A name that is not a folder is that of a variable: `shopt -s cdable_vars`. */
  readonly namesVariables: boolean;
  /** The stack of folders is assigned to. */
  readonly assignsStack: boolean;
}

function settingsOf({ commands, nestedCommands }: CommandAnalysis): Settings {
  const all = [...commands, ...nestedCommands];
  const mentions = ({ argv, assignments }: SimpleCommand, name: string): boolean =>
    argv.some(({ display }) => display.includes(name)) || assignments.some(({ text }) => text.includes(name));
  return {
    namesVariables: all.some((command) => mentions(command, "cdable_vars")),
    assignsStack: all.some((command) => mentions(command, "DIRSTACK")),
  };
}

function stepAfter(command: EffectiveCommand, here: Place, values: Values, settings: Settings): Place {
  const { argv } = command;
  const { folder, pushed } = here;
  const name = argv[0]?.value;
  if (name === "cd") return { folder: folderAt(targetOf(command, folder, values, settings), folder), pushed };
  const isNamed = name === "pushd" && operandsOf(argv).length > 0;
  const target = isNamed ? folderAt(targetOf(command, folder, values, settings), folder) : undefined;
  const after = stackAfter(argv, here, target);
  return settings.assignsStack && name !== "dirs" ? { ...after, folder: lost(after.folder) } : after;
}

/** The folder that is named; undefined where it may be any. */
function targetOf(
  command: EffectiveCommand,
  here: Folder,
  values: Values,
  { namesVariables }: Settings,
): string | undefined {
  const [word, ...more] = operandsOf(command.argv);
  // With two folders bash 4.4 and newer stay where they are, and older ones go to the first.
  if (more.length > 0) return undefined;
  if (word === undefined) return firstValue(command.argv) === "cd" ? homeIn(here, values) : undefined;
  const fields = expandWord(word, values);
  const texts = fields.map(knownText);
  const text = new Set(texts).size === 1 ? (texts[0] ?? patternTarget(fields, here)) : undefined;
  if (text === undefined || /^(?:-|[-+]\d+)$/.test(text)) return undefined;
  const named = namesVariables ? byVariable(text, values) : [];
  return named.length > 1 ? undefined : (byCdPath(text, here, values) ?? named[0] ?? text);
}

/** `x=/; cd x`: what the variable may be, where the line sets it; the option is set. */
function byVariable(name: string, values: Values): readonly string[] {
  if (!/^[A-Za-z_]\w*$/.test(name)) return [];
  return [...new Set(values.variable(name).flatMap((field) => knownText(field) ?? []))];
}

/** `HOME=/; cd` goes to the root folder. */
function homeIn({ home }: Folder, values: Values): string | undefined {
  const [text, ...others] = new Set(values.variable("HOME").map(knownText));
  return others.length > 0 || text === undefined || text === values.home ? home : text;
}

function operandsOf([, ...words]: readonly Word[]): readonly Word[] {
  const first = words.findIndex(({ value }) => !/^-[LPe@n]+$/.test(value ?? ""));
  const rest = first === -1 ? [] : words.slice(first);
  return firstValue(rest) === "--" ? rest.slice(1) : rest;
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
