/**
 * Processes without end for an input without end: `yes 'sleep 99 &' | sh`, `yes | xargs -P0 sleep 99`, and a loop that
 * reads such an input and starts something in the background.
 *
 * Sources: yes(1), seq(1), xargs(1), parallel(1). What cuts the input off (`head`, `timeout`) makes it an ordinary one.
 */
import {
  analyzeCommand,
  type CommandAnalysis,
  type Construct,
  type EffectiveCommand,
  type SimpleCommand,
} from "@pi-bash/command";
import { firstValue, programName, SHELLS, shellOptions } from "@pi-bash/command/internal";
import type { Finding } from "../finding.ts";
import { GIVES_WORDS } from "./values/added.ts";
import { isStandardInput, Pipelines } from "./values/pipelines.ts";
import { scriptOf } from "./values/process-substitution.ts";

/** Programs that hand on what they read, line by line or as it is. */
const HANDS_ON = /^(?:cat|tee|pv|sed|tr|awk|gawk|nl|grep|rev|stdbuf|cut|uniq|shuf)$/;
/** What makes a loop wait, or end. */
const WAITS = /^(?:wait|sleep|break|exit|return|timeout)$/;

/** What is known of texts elsewhere. */
export interface TextJudges {
  isBomb(text: string): boolean;
  /** True for a loop that goes on for ever. */
  isEndless(text: string): boolean;
}

/** The commands of a line that start processes without end in this way. */
export function endlessInputBombs(
  analysis: CommandAnalysis,
  { isBomb, isEndless }: TextJudges,
): readonly EffectiveCommand[] {
  const starting = analysis.effective.filter(starts);
  if (starting.length === 0) return [];
  const inputs = new Inputs(analysis, isEndless);
  return starting.filter((command) => {
    const texts = inputs.endlessTexts(command);
    if (texts === undefined) return false;
    if (readsShell(command)) return texts.some((text) => inBackground(text) || isBomb(text));
    return isUnbounded(command) || isLoose(command, analysis);
  });
}

/** Where the inputs of a line's commands come from. */
class Inputs {
  readonly #pipelines: Pipelines;
  readonly #analysis: CommandAnalysis;
  readonly #loops: readonly Pick<Construct, "span">[];

  constructor(analysis: CommandAnalysis, isEndless: (text: string) => boolean) {
    this.#analysis = analysis;
    this.#loops = analysis.constructs.filter(({ kind, text }) => LOOPS.has(kind) && isEndless(text));
    this.#pipelines = new Pipelines(analysis);
  }

  /** What an endless input repeats, as far as that is known; undefined where the input is none. */
  endlessTexts(command: EffectiveCommand): readonly string[] | undefined {
    const own = this.#pipelines.inputsOf(command);
    if (own.some(isStandardInput)) {
      const files = own.flatMap(({ target }) =>
        target === null ? [] : [target.value ?? "", scriptOf(target.text) ?? ""],
      );
      return firstOf(files.map((text) => (/^\/dev\/(?:zero|u?random)$/.test(text) ? [] : endlessScript(text))));
    }
    const stages = [this.#pipelines.feederOf(command) ?? [], this.#pipelines.writersInto(command)];
    return firstOf(stages.map((stage) => this.#endlessStage(stage)));
  }

  /** What a stage prints, or hands on from the one before, and so forth. */
  #endlessStage(last: readonly SimpleCommand[]): readonly string[] | undefined {
    let stage = last;
    for (;;) {
      if (this.#isLoop(stage)) return [];
      const [simple, ...others] = stage;
      const command = this.#analysis.effective.find(({ written }) => written === simple);
      if (simple === undefined || others.length > 0 || command === undefined || isTimed(command)) return undefined;
      const produced = producedBy(command);
      if (produced !== undefined || !HANDS_ON.test(nameOf(command))) return produced;
      stage = this.#pipelines.feederOfSimple(simple) ?? [];
    }
  }

  /** True for a stage that is a loop without an end, which does nothing but print. */
  #isLoop(stage: readonly SimpleCommand[]): boolean {
    const prints = stage.length > 0 && stage.every(({ argv }) => PRINTS.test(firstValue(argv)));
    return (
      prints &&
      this.#loops.some(({ span }) => stage.every((each) => span.start <= each.span.start && each.span.end <= span.end))
    );
  }
}

/** What stands in a loop that does nothing but print, its condition among it. */
const PRINTS = /^(?:echo|printf|cat|true|false|test|\[|:)$/;
const LOOPS: ReadonlySet<Construct["kind"]> = new Set(["while", "arithmetic"]);

/** A time limit ends it. */
function isTimed({ via }: EffectiveCommand): boolean {
  return via.some((each) => /timeout/.test(each));
}

function firstOf(found: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  return found.find((each) => each !== undefined);
}

function nameOf({ argv }: Pick<EffectiveCommand, "argv">): string {
  return programName(firstValue(argv));
}

/** What a program prints without end. */
function producedBy({ argv }: EffectiveCommand): readonly string[] | undefined {
  const words = argv.slice(1).map(({ value, display }) => value ?? display);
  switch (nameOf({ argv })) {
    case "yes":
      return words.some((word) => /^--(?:help|version)$/.test(word))
        ? undefined
        : [words.filter((word) => word !== "--").join(" ")];
    case "seq":
      return words.some((word) => /^\+?inf(?:inity)?$/i.test(word)) ? [] : undefined;
    case "cat":
      return words.some((word) => /^\/dev\/(?:zero|u?random)$/.test(word)) ? [] : undefined;
    default:
      return undefined;
  }
}

function endlessScript(script: string): readonly string[] | undefined {
  if (script === "") return undefined;
  const [command, ...others] = analyzeCommand(script).effective;
  return command === undefined || others.length > 0 || isTimed(command) ? undefined : producedBy(command);
}

/** True for a command that may start others for what it reads. */
function starts(command: EffectiveCommand): boolean {
  const { context } = command.simple;
  return SHELLS.has(nameOf(command)) || (context.loop && context.background) || xargsWords(command).length > 0;
}

/** True for a shell that takes its commands from its input. */
function readsShell({ argv, unresolved }: EffectiveCommand): boolean {
  const language = SHELLS.get(nameOf({ argv }));
  if (language === undefined || unresolved === undefined) return false;
  const { index, readsText, readsInput, problem } = shellOptions(argv, language);
  return problem === undefined && !readsText && (readsInput || argv[index] === undefined);
}

function inBackground(text: string): boolean {
  return analyzeCommand(text).effective.some(({ simple }) => simple.context.background);
}

/** The words from `xargs` or `parallel` on. */
function xargsWords({ written }: EffectiveCommand): readonly string[] {
  const words = written.argv.map(({ value }) => value ?? "");
  const at = words.findIndex((word) => GIVES_WORDS.has(programName(word)));
  return at === -1 ? [] : words.slice(at + 1);
}

/** As many processes at a time as there are lines: `xargs -P0`, `parallel -j0`. */
function isUnbounded(command: EffectiveCommand): boolean {
  const words = xargsWords(command);
  const isMany = (count: string): boolean => /^(?:0|\d{4,})$/.test(count);
  return words.some((word, at) => {
    if (/^(?:-[0prtx]*P|-j|--max-procs|--jobs)$/.test(word)) return isMany(words[at + 1] ?? "");
    return isMany(/^(?:-[0prtx]*P|-j|--max-procs=|--jobs=)(\d+)$/.exec(word)?.[1] ?? "");
  });
}

/** Started in the background, in a loop over the input or for each of its lines, and nothing there waits. */
function isLoose({ simple, written, via }: EffectiveCommand, { effective }: CommandAnalysis): boolean {
  if (!simple.context.background || (!simple.context.loop && !via.includes("xargs"))) return false;
  const beside = effective.filter(
    (each) => each.written === written || (written === simple && each.simple.context.loop),
  );
  return !beside.some((each) => each.simple !== simple && WAITS.test(nameOf(each)) && !each.simple.context.background);
}

/** A finding at a command. */
export function endlessFinding({ argv, span }: EffectiveCommand): Finding {
  const message = `\`${argv[0]?.display ?? ""}\` starts processes for an input without end (a fork bomb)`;
  return { code: "fork-bomb", severity: "block", message, span };
}
