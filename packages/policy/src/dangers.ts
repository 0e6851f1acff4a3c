/**
 * Commands that are refused whatever a rule or a mode says: wiping the system, devices and fork bombs.
 *
 * They are judged by meaning, on what runs in the end and with the values that the line gives to its variables, so that
 * `rm -fr //`, `X=/; rm -rf $X` and `echo / | xargs rm -rf` are one thing, and `rm -rf /tmp/build`, `dd of=out.img` and
 * `echo "rm -rf /"` are another. Lists of forbidden texts miss the first kind and hit the second. Where a block depends
 * on what is not known, it is undecided: a person is asked. The judges are in `dangers/`.
 */
import { analyzeCommand, type CommandAnalysis, type EffectiveCommand, type Word } from "@pi-bash/command";
import { programName } from "@pi-bash/command/internal";
import type { Folder, PathContext } from "./danger-paths.ts";
import { Bindings } from "./dangers/bindings.ts";
import { type DangerJudge, type DangerOptions, UNDECIDED_CODE, undecided, worst } from "./dangers/call.ts";
import { DEVICE_JUDGES, isWholeDevice, judgeRedirectionTarget, judgeWholeDevice } from "./dangers/devices.ts";
import { expandWord, type Field, knownText, textField, UNKNOWN } from "./dangers/fields.ts";
import { Folders } from "./dangers/folders.ts";
import { forkBombs } from "./dangers/fork-bombs.ts";
import { Outputs } from "./dangers/outputs.ts";
import { PROCESS_JUDGES } from "./dangers/processes.ts";
import { REMOVAL_JUDGES } from "./dangers/removal.ts";
import { literalText, renderedTexts } from "./dangers/shell-texts.ts";
import type { Finding, Refusal } from "./finding.ts";

export type { DangerOptions } from "./dangers/call.ts";

/** The hard blocks of a line. */
export interface Dangers {
  readonly blocks: readonly Finding[];
  /** What is a block for some values of what is not known. */
  readonly undecided: readonly Finding[];
}

const JUDGES: ReadonlyMap<string, DangerJudge> = new Map([...REMOVAL_JUDGES, ...DEVICE_JUDGES, ...PROCESS_JUDGES]);

/** Texts inside texts that are completed with known values and judged: `X=/; bash -c "rm -rf $X"`. */
const MAX_DEPTH = 4;
/** Such texts of one line that are judged. */
const MAX_TEXTS = 64;

/** All hard blocks in a command line, also in one that was not understood completely. */
export function findDangers(analysis: CommandAnalysis, context: PathContext & DangerOptions, depth = 0): Dangers {
  const line = new Line(analysis, context, depth);
  const found = [
    ...forkBombs(analysis),
    ...analysis.effective.flatMap((each) => line.judge(each)),
    ...line.redirections(),
  ];
  return {
    blocks: found.filter(({ severity }) => severity === "block"),
    undecided: found.filter(({ code }) => code === UNDECIDED_CODE),
  };
}

function judgeOf(name: string): DangerJudge | undefined {
  return JUDGES.get(name) ?? (isWholeDevice(name) ? judgeWholeDevice : undefined);
}

/** Words of an unresolved command that are tried as the program; it is never approved by itself either way. */
const MAX_READINGS = 16;

class Line {
  readonly #analysis: CommandAnalysis;
  readonly #context: PathContext & DangerOptions;
  readonly #depth: number;
  readonly #outputs: Outputs;
  readonly #bindings: Bindings;
  readonly #folders: Folders;
  #textCount = 0;
  readonly #beside = new Map<EffectiveCommand["written"], EffectiveCommand[]>();

  constructor(analysis: CommandAnalysis, context: PathContext & DangerOptions, depth: number) {
    this.#analysis = analysis;
    this.#context = context;
    this.#depth = depth;
    this.#outputs = new Outputs(analysis);
    const place = { home: context.home ?? "/home/any-name", cwd: context.cwd };
    this.#bindings = new Bindings(analysis, place, this.#outputs);
    this.#folders = new Folders(analysis, context, (command) => this.#bindings.at(command));
    this.#bindings.follow((command) => this.#folders.of(command));
    for (const command of analysis.effective) {
      const known = this.#beside.get(command.written);
      if (known === undefined) this.#beside.set(command.written, [command]);
      else known.push(command);
    }
  }

  judge(command: EffectiveCommand): Finding[] {
    const at = { span: command.span, argv: command.argv.map((word) => word.display) };
    const refusal = worst(this.#readings(command).map((argv) => this.#judgeArgv(argv, command)));
    if (refusal?.severity === "block") return [{ ...refusal, ...at }];
    const inTexts = this.#inTexts(this.#texts(command), command);
    return [...inTexts, ...(refusal === undefined ? [] : [{ ...refusal, ...at }])];
  }

  /** The words of a command, or of each that it may be. */
  #readings(command: EffectiveCommand): (readonly Word[])[] {
    const { argv } = command;
    if (argv[0]?.value === null) return this.#namedByVariable(command);
    if (command.unresolved === undefined) return [argv];
    const starts = [...argv.entries()].filter(([, word]) => judgeOf(programName(word.value ?? "")) !== undefined);
    return starts.slice(0, MAX_READINGS).map(([at]) => argv.slice(at));
  }

  /** `R=rm; $R -rf /` and `CMD="rm -rf /"; $CMD`. */
  #namedByVariable({ argv, ...command }: EffectiveCommand): (readonly Word[])[] {
    const [program, ...rest] = argv;
    if (program === undefined) return [];
    const texts = expandWord(program, this.#bindings.at({ ...command, argv })).map(knownText);
    const starts = texts.flatMap((text, at): (readonly Word[])[] => {
      if (judgeOf(programName(text ?? "")) === undefined) return [];
      const words = texts.slice(at).flatMap((each) => (each === undefined ? [] : [literalText(each, program.span)]));
      return [[...words, ...rest]];
    });
    return starts.slice(0, MAX_READINGS);
  }

  #judgeArgv(argv: readonly Word[], command: EffectiveCommand): Refusal | undefined {
    const name = programName(argv[0]?.value ?? "");
    const judge = judgeOf(name);
    if (judge === undefined) return undefined;
    const values = this.#bindings.at(command);
    const args = argv.slice(1);
    const added = this.#added(command);
    const fieldsOf = (word: Word): readonly Field[] => {
      // What `find -exec` and `fd -x` fill in is judged with them, what `xargs -I` does with what it reads.
      if (added.placeholder !== undefined && word.text.includes(added.placeholder)) return filledIn(word, added);
      return word.expansions.input && command.via.some(FILLS_IN) ? [] : expandWord(word, values);
    };
    return judge({
      command,
      name,
      args,
      folder: this.#folderOf(command),
      feeder: added.fields === undefined ? undefined : this.#outputs.feeder(command),
      fields: args.flatMap(fieldsOf),
      fieldsOf,
      added: added.placeholder === undefined ? added.fields : undefined,
      beside: this.#beside.get(command.written) ?? [],
      options: this.#context,
    });
  }

  /** `env -C FOLDER` and `sudo -D FOLDER` go elsewhere first. */
  #folderOf(command: EffectiveCommand): Folder {
    const here = this.#folders.of(command);
    if (!command.via.some((each) => /(?:^|\/)(?:env|sudo)$/.test(each))) return here;
    const { argv } = command.written;
    const at = argv.findIndex(({ value }) => /^(?:-[CD]|--chdir(?:=|$))/.test(value ?? ""));
    if (at === -1) return here;
    const path = /^(?:-[CD]|--chdir=)(.+)$/.exec(argv[at]?.value ?? "")?.[1] ?? argv[at + 1]?.value;
    const { cwd: _, ...places } = here;
    return path?.startsWith("/") === true ? { ...places, cwd: path } : { ...places, lost: true };
  }

  /** What `xargs` adds, and where. */
  #added(command: EffectiveCommand): Added {
    if (!command.via.includes("xargs") && !isUnreadXargs(command)) return {};
    const words = command.written.argv.map((word) => word.value ?? "");
    const own = command.simple.argv.map((word) => word.value ?? "");
    const options = own.includes("xargs") || own.some((word) => word.endsWith("/xargs")) ? own : words;
    const readsFile = options.some((word) => /^(?:-\w*a|--arg-file)/.test(word));
    const here = command.simple.redirections.find(({ operator }) => operator === "<<<")?.target;
    const fields = readsFile
      ? undefined
      : here == null
        ? this.#outputs.feeding(command, (each) => this.#bindings.at(each))
        : expandWord(here, this.#bindings.at(command));
    const placeholder = placeholderOf(options);
    return { fields: fields ?? [[UNKNOWN]], ...(placeholder === undefined ? {} : { placeholder }) };
  }

  /** Texts that a shell runs and that the analysis could not read, completed with what is known. */
  #texts(command: EffectiveCommand): readonly string[] {
    if (this.#depth >= MAX_DEPTH) return [];
    const added = this.#added(command);
    const { placeholder } = added;
    const isFilled = (word: Word): boolean => placeholder !== undefined && word.text.includes(placeholder);
    return renderedTexts(
      command,
      (word) => (isFilled(word) ? filledIn(word, added) : expandWord(word, this.#bindings.at(command))),
      () => this.#outputs.feeding(command, (each) => this.#bindings.at(each)),
    );
  }

  /** Beyond some texts it is no longer looked what they do. */
  #inTexts(texts: readonly string[], command: EffectiveCommand): Finding[] {
    if (texts.length === 0) return [];
    this.#textCount += texts.length;
    if (this.#textCount <= MAX_TEXTS) return texts.flatMap((text) => this.#inText(text, command));
    const refusal = undecided("the line has too many texts for shells");
    return this.#textCount - texts.length <= MAX_TEXTS ? [{ ...refusal, span: command.span }] : [];
  }

  #inText(text: string, command: EffectiveCommand): Finding[] {
    const { cwd, lost } = this.#folders.of(command);
    const { cwd: _, ...context } = this.#context;
    const place = { ...context, ...(cwd === undefined ? {} : { cwd }), ...(lost === undefined ? {} : { lost }) };
    const found = findDangers(analyzeCommand(text), place, this.#depth + 1);
    return [...found.blocks, ...found.undecided].map((finding) => ({ ...finding, span: command.span }));
  }

  redirections(): Finding[] {
    const commands = [...this.#analysis.commands, ...this.#analysis.nestedCommands];
    const ofCommands = commands.flatMap((command) =>
      command.redirections.map((redirection) => ({ redirection, place: command, context: command.context })),
    );
    const ofBlocks = this.#analysis.constructs.flatMap((construct) =>
      construct.kind === "redirection"
        ? [{ redirection: construct.redirection, place: undefined, context: construct.context }]
        : [],
    );
    return [...ofCommands, ...ofBlocks].flatMap(({ redirection, place, context }): Finding[] => {
      const { target, operator, span } = redirection;
      if (target === null || operator === "<<<" || operator === "<") return [];
      const fields =
        target.value === null
          ? expandWord(target, this.#bindings.use({ command: undefined, start: span.start, context }))
          : [textField(target.value)];
      const folder = place === undefined ? this.#context : this.#folders.of(place);
      const refusal = judgeRedirectionTarget(operator, fields, folder);
      return refusal === undefined ? [] : [{ ...refusal, span }];
    });
  }
}

/** Wrappers whose words are judged elsewhere: with the search, or by what is read. */
const FILLS_IN = (wrapper: string): boolean => /^(?:find|fd) -|(?:^|\/)xargs$/.test(wrapper);

/** An `xargs` with an option that the analysis does not know, such as the old `-i`: it still adds what it reads. */
function isUnreadXargs({ argv, unresolved }: EffectiveCommand): boolean {
  return unresolved !== undefined && programName(argv[0]?.value ?? "") === "xargs";
}

interface Added {
  readonly fields?: readonly Field[];
  readonly placeholder?: string;
}

function filledIn(word: Word, { fields = [], placeholder = "" }: Added): readonly Field[] {
  const [head = "", tail = ""] = word.text.replaceAll(/["']/g, "").split(placeholder);
  return fields.map((field) => [...textField(head), ...field, ...textField(tail)]);
}

/** The word that `xargs` replaces. */
function placeholderOf(words: readonly string[]): string | undefined {
  for (const [at, word] of words.entries()) {
    const match = /^(?:-[0prtx]*[IJ](.*)|--replace(?:=(.*))?|-[0prtx]*i(.*))$/.exec(word);
    if (match === null) continue;
    const [, given, long, short] = match;
    if (given === "") return words[at + 1];
    return given ?? (long === undefined || long === "" ? (short === undefined || short === "" ? "{}" : short) : long);
  }
  return undefined;
}
