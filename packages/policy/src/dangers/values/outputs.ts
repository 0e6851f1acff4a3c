/**
 * What commands print, as far as their words tell: what `$(echo /)`, `echo / | xargs` and `find . | xargs` hand on.
 *
 * A path that a program finds below a folder is as good as the folder; a program that is not listed may print anything.
 */
import {
  analyzeCommand,
  type CommandAnalysis,
  type EffectiveCommand,
  type SimpleCommand,
  type Word,
} from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";
import { type Places, placesBelow } from "../../protected-folders.ts";
import { ProcessLists } from "../processes/process-lists.ts";
import { printedProcesses } from "../processes/process-patterns.ts";
import { readFind, startFields } from "../searches/find-expression.ts";
import { calculated } from "./computed-values.ts";
import { expandWord, type Field, knownText, textField, UNKNOWN, UNKNOWN_RELATIVE, type Values } from "./fields.ts";
import { Pipelines } from "./pipelines.ts";

/** Substitutions inside substitutions that are looked into. */
const MAX_DEPTH = 6;
/** Texts of substitutions that are read for one line: one that stands in another twice is read twice as often. */
const MAX_SCRIPTS = 500;

/** What the commands of one line print. */
export class Outputs {
  readonly #analysis: CommandAnalysis;
  readonly #pipelines: Pipelines;
  readonly #lists: ProcessLists;
  #scripts = 0;
  #depth = 0;

  constructor(analysis: CommandAnalysis) {
    this.#analysis = analysis;
    this.#pipelines = new Pipelines(analysis);
    this.#lists = new ProcessLists(analysis, this.#pipelines);
  }

  /** The words that a substitution's text prints. */
  ofScript(script: string, values: Values): readonly Field[] {
    if (this.#depth >= MAX_DEPTH || ++this.#scripts > MAX_SCRIPTS) return [[UNKNOWN]];
    this.#depth++;
    try {
      const analysis = analyzeCommand(script);
      const last = lastStage(analysis);
      if (!analysis.ok || last === undefined) return [[UNKNOWN]];
      return new Outputs(analysis).#ofStage([last], () => values, this.#depth) ?? [[UNKNOWN]];
    } finally {
      this.#depth--;
    }
  }

  /** The words that a command reads from the stage of the pipeline before it; undefined where none is known. */
  feeding(command: EffectiveCommand, at: (command: EffectiveCommand) => Values): readonly Field[] | undefined {
    const feeder = this.#pipelines.feederOf(command);
    return feeder === undefined ? undefined : this.#ofStage(feeder, at, this.#depth);
  }

  /** The program that a command reads from, where it is one; what only hands lines on is passed over. */
  feeder(command: EffectiveCommand): string | undefined {
    let [simple, ...others] = this.#pipelines.feederOf(command) ?? [];
    while (simple !== undefined && isFilter(simple)) {
      [simple, ...others] = this.#pipelines.feederOfSimple(simple) ?? [];
    }
    return others.length > 0 ? undefined : programName(firstValue(simple?.argv));
  }

  #ofStage(
    stage: readonly SimpleCommand[],
    at: (command: EffectiveCommand) => Values,
    depth: number,
  ): readonly Field[] | undefined {
    this.#depth = depth;
    const [simple, ...others] = outermost(stage);
    if (simple === undefined || others.length > 0 || this.#depth >= MAX_DEPTH) return undefined;
    const [command, ...more] = this.#analysis.effective.filter(
      (each) => each.written === simple || each.simple === simple,
    );
    if (command === undefined || command.unresolved !== undefined || !command.argvComplete) return undefined;
    if (
      more.length > 0 ||
      simple.redirections.some(({ operator, descriptor }) => /^(?:&?>|>\|)/.test(operator) && descriptor !== 2)
    ) {
      return undefined;
    }
    if (this.#lists.beginsWithList(simple)) return this.#lists.printedBy(simple, at);
    const name = programName(firstValue(command.argv));
    const here = simple.redirections.find(({ operator }) => operator === "<<<")?.target ?? undefined;
    const before = (): readonly Field[] | undefined => this.#before(simple, at, depth);
    if (here !== undefined && name === "cat") return expandWord(here, at(command));
    if (name === "bc") return calculated(here === undefined ? before() : expandWord(here, at(command)));
    if (isFilter(command)) return before();
    return printedBy(command, at(command));
  }

  /** What the stage before a command prints. */
  #before(
    simple: SimpleCommand,
    at: (command: EffectiveCommand) => Values,
    depth: number,
  ): readonly Field[] | undefined {
    const before = this.#pipelines.feederOfSimple(simple);
    return before === undefined ? undefined : this.#ofStage(before, at, depth + 1);
  }
}

/** The last command that runs, where the text is one pipeline. */
function lastStage(analysis: CommandAnalysis): SimpleCommand | undefined {
  const commands = outermost(analysis.commands);
  if (commands.length < 2) return commands[0];
  const pipelines = analysis.constructs.flatMap((each) =>
    each.kind === "pipeline" ? [each.stages.map(outermost)] : [],
  );
  return pipelines
    .find((stages) => stages.length === commands.length && stages.every((stage) => stage.length === 1))
    ?.at(-1)?.[0];
}

/** The commands without those of the substitutions in their words. */
function outermost(commands: readonly SimpleCommand[]): readonly SimpleCommand[] {
  let end = -1;
  const inOrder = commands.toSorted((one, other) => one.span.start - other.span.start || other.span.end - one.span.end);
  return inOrder.filter(({ span }) => {
    const isInside = span.end <= end;
    end = Math.max(end, span.end);
    return !isInside;
  });
}

/** True for a program that hands some of its lines on as they are. */
export function isFilter({ argv }: Pick<EffectiveCommand, "argv">): boolean {
  const name = programName(firstValue(argv));
  if (HANDS_ON.test(name)) return true;
  const words = CUTS_LINES.test(name) ? withCounts(argv.slice(1)) : argv.slice(1);
  const flags = words.every(({ value }) => value !== null);
  const operands = words.filter(({ value }) => !value?.startsWith("-")).length;
  const options = words.flatMap(({ value }) => (value?.startsWith("-") === true ? [value] : []));
  if (!flags) return false;
  switch (name) {
    case "grep":
    case "egrep":
    case "fgrep":
      return operands === 1 && options.every((option) => /^-[vEFiwxzZaP]+$/.test(option));
    case "head":
    case "tail":
      // `-c` cuts inside a path: `/` is left of `/opt/x`.
      return (
        options.every((option) => /^-(?:n?[-+]?\d+|[nq])$/.test(option)) &&
        (operands === 0 || (operands === 1 && options.at(-1) === "-n"))
      );
    case "sort":
    case "uniq":
    case "tac":
    case "cat":
      return operands === 0;
    default:
      return false;
  }
}

/** Programs that print what they read, whatever files they are given. */
const HANDS_ON = /^(?:tee|sponge|pv)$/;

/** Programs that hand on a number of lines. */
const CUTS_LINES = /^(?:head|tail)$/;

/** How many lines are handed on makes no difference: `tail -n +$((keep + 1))` is read as `tail -n +1`. */
function withCounts(words: readonly Word[]): readonly Pick<Word, "value">[] {
  return words.map((word, at) => {
    if (word.value !== null || word.expansions.glob || word.expansions.brace) return word;
    const isCount = words[at - 1]?.value === "-n" ? /^[-+]?$/ : /^-(?:n[-+]?)?$/;
    return isCount.test(word.leading) ? { value: `${word.leading}1` } : word;
  });
}

/** Programs that print one name without a folder, and never nothing. */
const PRINTS_NAME = /^(?:date|whoami|hostname|uname|arch|nproc|uuidgen|id|basename)$/;

/** Subcommands that print names of files in the folder. */
const LISTS_FILES = /^git (?:ls-files|ls-tree|diff|status)$/;

function printedBy(command: EffectiveCommand, values: Values): readonly Field[] | undefined {
  const name = programName(firstValue(command.argv));
  const words = command.argv.slice(1);
  const options = words.flatMap(({ value }) => (value?.startsWith("-") === true ? [value] : []));
  const operands = words.filter(({ value }) => !value?.startsWith("-"));
  // Each word is expanded once: the substitutions in it are read each time.
  const known = new Map(words.map((word) => [word, expandWord(word, values)]));
  const fields = (list: readonly Word[]): Field[] => list.flatMap((word) => known.get(word) ?? []);
  if (PRINTS_NAME.test(name)) return [[UNKNOWN_RELATIVE]];
  switch (name) {
    case "echo":
      return fields(words.filter(({ value }) => !/^-[neE]+$/.test(value ?? ""))).flatMap(unescaped);
    case "printf":
      return formatted(words, fields).flatMap(unescaped);
    case "expr":
      return calculated(fields(words));
    case "which":
      return fields(operands);
    case "command":
    case "type":
      return options.length > 0 ? fields(operands) : undefined;
    case "pgrep":
    case "pidof":
      return printedProcesses(name, { args: words, fieldsOf: (word) => expandWord(word, values), added: undefined });
    case "pwd":
      return values.variable("PWD");
    case "mktemp":
      return operands.length === 0 ? [textField("/tmp/tmp.any-name")] : fields(operands);
    case "realpath":
    case "readlink":
      return resolvedPaths(fields(operands));
    case "ls":
      return [...(options.some((option) => /^-\w*d/.test(option)) ? fields(operands) : listed(fields(operands)))];
    case "find":
    case "gfind":
      return foundBy(command.argv, fields, values.home);
    case "fd":
    case "fdfind":
      return operands.length < 2 ? [[UNKNOWN_RELATIVE]] : fields(operands.slice(1));
    default:
      return LISTS_FILES.test(`${name} ${firstValue(words)}`) ? [[UNKNOWN_RELATIVE]] : undefined;
  }
}

/** `find` prints its starting points and what is below; a name that it looks for makes that something else. */
function foundBy(
  argv: readonly Word[],
  fields: (words: readonly Word[]) => Field[],
  home: string,
): readonly Field[] | undefined {
  const places = (words: readonly Word[]): Places => placesBelow(startFields(fields(words)), { home, lost: true });
  const { starts, prints, devices } = readFind(argv, { places });
  if (prints === "other") return undefined;
  if (starts.length === 0) return [[UNKNOWN_RELATIVE]];
  const found =
    devices === "yes"
      ? []
      : fields(starts)
          .filter(isDeviceFolder)
          .map((field) => deviceIn(field, devices));
  if (prints === "narrowed") return [...found, ...fields(starts).map(withName)];
  const all = prints === "everything" ? fields(starts) : fields(starts).map((field): Field => [...field, UNKNOWN]);
  return [...found, ...all];
}

function isDeviceFolder(field: Field): boolean {
  return /^\/dev(?:\/(?:disk|mapper)\b.*)?\/?$/.test(knownText(field) ?? "");
}

/** A disk, where the tests do not keep those out. */
function deviceIn(field: Field, devices: "weak" | "no"): Field {
  return [...field, ...(devices === "no" ? textField("/sda") : [...textField("/"), UNKNOWN])];
}

/** A particular file below a folder: what it hits is no longer the folder itself. */
function withName(field: Field): Field {
  const text = knownText(field);
  if (text === undefined) return field;
  return text.startsWith("/") ? textField("/opt/narrowed/by/a/name") : [UNKNOWN_RELATIVE];
}

/** `ls` prints the names in a folder, and the files it is given as they are. */
function listed(fields: readonly Field[]): Field[] {
  return [[UNKNOWN_RELATIVE], ...fields.filter((field) => knownText(field) === undefined)];
}

/** A format of `%s` alone prints its arguments; one without any prints itself. */
function formatted(words: readonly Word[], fields: (words: readonly Word[]) => Field[]): Field[] {
  const [first, ...rest] = firstValue(words) === "--" ? words.slice(1) : words;
  const format = first?.value;
  if (first === undefined || format == null) return [[UNKNOWN]];
  if (/^(?:%[sbqdi]|\\[n0]|\s)*$/.test(format) && rest.length > 0) return fields(rest);
  if (!format.replaceAll("%%", "").includes("%")) return [textField(format)];
  const [argument, ...more] = fields(rest);
  const [head, tail, ...others] = format.split("%s");
  if (argument === undefined || more.length > 0 || others.length > 0 || tail === undefined) return [[UNKNOWN]];
  return [[...textField(head ?? ""), ...argument, ...textField(tail.replace(/\\n$/, ""))]];
}

/** A relative path stays below the folder; another one may be a link to anywhere. */
function resolvedPaths(fields: readonly Field[]): readonly Field[] {
  return fields.every(isRelative) ? fields : [...fields, [UNKNOWN]];
}

function isRelative(field: Field): boolean {
  const text = knownText(field);
  return text !== undefined && !text.startsWith("/") && !/(?:^|\/)\.\.(?:\/|$)/.test(text);
}

/** The words of a printed text; backslashes may stand for any character. */
function unescaped(field: Field): readonly Field[] {
  const text = knownText(field);
  if (text === undefined) return [field];
  if (/%(?!%)|\\(?!n|0$)/.test(text.replaceAll(/%s|%b|%q/g, ""))) return [[UNKNOWN]];
  return text
    .replaceAll(/\\n|\\0|%[sbq]/g, " ")
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(textField);
}
