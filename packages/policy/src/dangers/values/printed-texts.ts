/**
 * The texts that commands print and read, line by line: what `cat <<E | bash`, `bash <(echo x)` and `sh -c "$(printf x)"`
 * give to a shell.
 *
 * `outputs.ts` knows the words of an output, which is what a program takes for paths; here it is the text, because to a
 * shell the ends of lines mean something. A program that is not listed may print anything: it adds nothing.
 */
import {
  analyzeCommand,
  type CommandAnalysis,
  type EffectiveCommand,
  type Redirection,
  type SimpleCommand,
} from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";
import { alternativesOf } from "./alternatives.ts";
import { expandWord, type Field, textField, type Values } from "./fields.ts";
import { echoed, formatted, joined, withoutNul } from "./formatted-texts.ts";
import { isFilter } from "./outputs.ts";
import { isStandardInput, Pipelines } from "./pipelines.ts";
import { scriptOf } from "./process-substitution.ts";

/** Substitutions and functions inside each other, and stages behind each other, that are looked into. */
const MAX_DEPTH = 24;
/** Commands looked at for the texts of one line: each stage may have several, and each of those read the one before. */
const MAX_LOOKS = 2_000;
/** Longest text that is put together, in UTF-16 units: a text that is printed twice may be doubled again. */
const MAX_CHARS = 128 * 1024;

/** Calls of a function whose inputs are looked at. */
const MAX_CALLS = 8;

/** How much was looked at, shared by a line and the substitutions in it. */
interface Effort {
  looks: number;
  depth: number;
  /** Something was left out. */
  exceeded: boolean;
}

/** The texts of one line. */
export class PrintedTexts {
  readonly #analysis: CommandAnalysis;
  readonly #at: (command: EffectiveCommand) => Values;
  readonly #pipelines: Pipelines;
  readonly #effort: Effort;
  /** The line around a substitution, whose functions are called in it. */
  readonly #around: PrintedTexts | undefined;
  #effective: Map<SimpleCommand, EffectiveCommand[]> | undefined;

  constructor(analysis: CommandAnalysis, at: (command: EffectiveCommand) => Values, around?: PrintedTexts) {
    this.#analysis = analysis;
    this.#at = at;
    this.#pipelines = new Pipelines(analysis);
    this.#around = around;
    this.#effort = around === undefined ? { looks: 0, depth: 0, exceeded: false } : around.#effort;
  }

  /** What a substitution's text prints, without its last line breaks; undefined where nothing is known of it. */
  ofScript(script: string, values: Values): readonly Field[] | undefined {
    const analysis = analyzeCommand(script);
    const texts = this.#deeper(() => new PrintedTexts(analysis, () => values, this).printed(analysis.commands));
    return texts?.map(withoutNul);
  }

  /** What a command reads; undefined where nothing is known of it. */
  input(command: EffectiveCommand): readonly Field[] | undefined {
    return this.#deeper(() => this.#input(command));
  }

  /** True where a command reads something, known or not. */
  hasInput(command: EffectiveCommand): boolean {
    return this.#pipelines.inputsOf(command).length > 0 || this.#pipelines.feederOf(command) !== undefined;
  }

  /** What the commands of a stage print, one behind the other. */
  printed(stage: readonly SimpleCommand[]): readonly Field[] | undefined {
    this.#effort.looks += stage.length;
    const commands = this.#writersOf(stage);
    const texts = commands.map((command) => this.#deeper(() => this.#printedBy(command)));
    const known = texts.flatMap((each) => (each === undefined ? [] : [each]));
    if (known.length < 2) return known[0];
    return alternativesOf(known).map((fields) => joined(fields, "\n"));
  }

  /** True once something was left out, so that a text may be one that was not looked at. */
  get exceeded(): boolean {
    return this.#effort.exceeded;
  }

  #deeper(look: () => readonly Field[] | undefined): readonly Field[] | undefined {
    if (this.#effort.depth >= MAX_DEPTH || ++this.#effort.looks > MAX_LOOKS) {
      this.#effort.exceeded = true;
      return undefined;
    }
    this.#effort.depth++;
    try {
      return this.#cut(look());
    } finally {
      this.#effort.depth--;
    }
  }

  /** As much of the texts as is looked at. */
  #cut(texts: readonly Field[] | undefined): readonly Field[] | undefined {
    let left = MAX_CHARS;
    const kept = texts?.filter((text) => {
      left -= lengthOf(text);
      return left >= 0;
    });
    if (kept?.length !== texts?.length) this.#effort.exceeded = true;
    return kept;
  }

  #input(command: EffectiveCommand): readonly Field[] | undefined {
    const own = this.#pipelines.inputsOf(command);
    const texts = own.flatMap((redirection) => this.#redirected(redirection, this.#at(command)) ?? []);
    // Beside another descriptor, which `/dev/fd/3` may name, the input is what it was.
    const piped = own.some(isStandardInput) ? undefined : this.#piped(command);
    return texts.length > 0 ? [...texts, ...(piped ?? [])] : piped;
  }

  #piped(command: EffectiveCommand): readonly Field[] | undefined {
    const feeder = this.#pipelines.feederOf(command);
    return feeder === undefined ? this.#inputOfPlace(command) : this.printed(feeder);
  }

  /** What a command reads because of where it stands: in `>(…)`, or in a function that is called with an input. */
  #inputOfPlace(command: EffectiveCommand): readonly Field[] | undefined {
    const writers = this.#pipelines.writersInto(command);
    if (writers.length > 0) return this.printed(writers);
    const name = command.written.context.functionName;
    if (name === undefined) return undefined;
    const calls = this.#analysis.effective.filter((each) => each !== command && each.argv[0]?.value === name);
    const texts = calls.slice(0, MAX_CALLS).flatMap((call) => this.input(call) ?? []);
    return texts.length === 0 ? undefined : texts;
  }

  #redirected({ operator, target, body, text }: Redirection, values: Values): readonly Field[] | undefined {
    if (body !== undefined) return [textField(/['"\\]/.test(text) ? body : body.replaceAll(/\\([$`\\])/g, "$1"))];
    if (target === null) return undefined;
    if (operator === "<<<") return longOr(expandWord(target, values), target.display);
    const script = scriptOf(target.text);
    return script === undefined ? undefined : this.ofScript(script, values);
  }

  /** The commands of a stage whose output is the stage's: neither in a substitution nor in front of another stage. */
  #writersOf(stage: readonly SimpleCommand[]): readonly EffectiveCommand[] {
    const read = new Set(stage.flatMap((command) => this.#pipelines.feederOfSimple(command) ?? []));
    const plain = stage.some(({ context }) => !context.substitution);
    const writers = stage.filter((command) => !read.has(command)).flatMap((command) => this.#effectiveOf(command));
    return writers.filter(({ simple }) => !(plain && simple.context.substitution));
  }

  /** What a command as written, or one in a text for a shell, comes to. */
  #effectiveOf(command: SimpleCommand): readonly EffectiveCommand[] {
    this.#effective ??= effectiveBySimple(this.#analysis);
    return this.#effective.get(command) ?? [];
  }

  #printedBy(command: EffectiveCommand): readonly Field[] | undefined {
    const name = programName(firstValue(command.argv));
    if (goesElsewhere(command.simple)) return undefined;
    if (command.unresolved !== undefined) return undefined;
    const values = this.#at(command);
    const words = command.argv.slice(1);
    const fields = (): (readonly Field[])[] => words.map((word) => longOr(expandWord(word, values), word.display));
    switch (name) {
      case "echo":
        return echoed(fields());
      case "printf":
        return words[0]?.value?.startsWith("-v") === true ? undefined : formatted(fields());
      case "yes":
        return alternativesOf(fields()).map((each) => joined(each, " "));
      default:
        return this.#handedOn(name, command, values) ?? this.#ofFunction(name);
    }
  }

  /** What filters, `tee` and `cat <(…)` hand on. */
  #handedOn(name: string, command: EffectiveCommand, values: Values): readonly Field[] | undefined {
    if (isFilter(command)) return this.#input(command);
    if (name !== "cat") return undefined;
    const files = command.argv.slice(1).flatMap((word): readonly Field[] => {
      const script = scriptOf(word.text);
      if (script !== undefined) return this.ofScript(script, values) ?? [];
      return isInputFile(word.value) ? (this.#input(command) ?? []) : [];
    });
    return files.length === 0 ? undefined : [joined(files, "\n"), ...files];
  }

  /** What a function prints, that of the line around where there is none here: `eval "$(f)"`. */
  #ofFunction(name: string): readonly Field[] | undefined {
    const body = this.#analysis.commands.filter(({ context }) => context.functionName === name);
    if (name === "") return undefined;
    if (body.length > 0) return this.printed(body);
    return this.#around === undefined ? undefined : this.#around.#ofFunction(name);
  }
}

/** Names of what a process reads: `-`, `/dev/stdin`, and any of its descriptors. */
export function isInputFile(path: string | null): boolean {
  return path !== null && (path === "-" || /^\/(?:dev|proc\/(?:self|\$\$|\d+))\/(?:stdin$|fd\/)/.test(path));
}

/** A word too long to be taken apart counts as it is written: its variables have their values inside as well. */
export function longOr(fields: readonly Field[], display: string): readonly Field[] {
  const [only, ...more] = fields;
  const isLost =
    more.length === 0 && only?.length === 1 && only[0]?.kind === "unknown" && display.length > MAX_WORD_CHARS;
  return isLost ? [textField(display)] : fields;
}

/** Length of words from which on they may not be taken apart: see `wordPieces`. */
const MAX_WORD_CHARS = 1_024;

function effectiveBySimple({ effective }: CommandAnalysis): Map<SimpleCommand, EffectiveCommand[]> {
  const found = new Map<SimpleCommand, EffectiveCommand[]>();
  for (const command of effective) {
    for (const simple of new Set([command.written, command.simple])) {
      const known = found.get(simple);
      if (known === undefined) found.set(simple, [command]);
      else known.push(command);
    }
  }
  return found;
}

function lengthOf(text: Field): number {
  return text.reduce((sum, part) => sum + (part.kind === "text" ? part.text.length : 1), 0);
}

/** Its output is not the stage's: `> f`, `>&2`. */
function goesElsewhere({ redirections }: SimpleCommand): boolean {
  return redirections.some(
    ({ operator, descriptor, target }) =>
      /^(?:&?>|>\|)/.test(operator) &&
      (descriptor === undefined || descriptor === 1) &&
      !/^(?:\/dev\/(?:stdout|fd\/1)|\/proc\/self\/fd\/1|1)$/.test(target?.value ?? "") &&
      !target?.text.startsWith(">("),
  );
}
