/**
 * Rewrites a command's output so that a model reads fewer tokens and loses no fact.
 */
import { binding } from "./binding.ts";
import { absent, checkKnown, checkObject, checkText, checkWhole, shown } from "./check-option.ts";
import type { MinimizedText, MinimizerRules } from "./generated/binding.d.ts";
import { invalidOption, native } from "./shell-error.ts";

/** The program and its arguments that wrote an output, wrappers such as `sudo` removed. */
export interface Invocation {
  /** Program first. */
  readonly argv: readonly string[];
}

/** How an output may be rewritten. */
export interface MinimizerOptions {
  /** False: nothing is minimized. Default true, where options are given at all. */
  readonly enabled?: boolean;
  /** Programs (base names) to minimize. Default: all that are known. */
  readonly only?: readonly string[];
  /** Programs never to minimize; wins over `only`. */
  readonly except?: readonly string[];
  /** Bytes of output above which nothing is minimized. Default 4 MiB. */
  readonly maxCaptureBytes?: number;
  /** Show source files that are read as an outline. Default: verbatim. */
  readonly sourceOutlineLevel?: "default" | "aggressive";
  /** Only what loses nothing: control sequences, carriage returns, repeats. Default false. */
  readonly losslessOnly?: boolean;
  /** The output is cut, or its command was stopped, so a summary would lie. Default false. */
  readonly incomplete?: boolean;
  /** Where the original can be read, for the notice, e.g. `artifact://12`. Default: the notice names no place. */
  readonly reference?: string;
  /**
   * Texts of rule files, the most important first; they go before the built-in rules and pass the same check. Whether the
   * author of a file is to be trusted is for the caller to know. Default: none.
   */
  readonly ruleFiles?: readonly string[];
}

/** An output that the minimizer rewrote, with what it saved. */
export interface MinimizerResult {
  /** What worked on it: `lossless`, or names of families joined by `+`. */
  readonly filter: string;
  /** The text for the model. */
  readonly text: string;
  /** The text as it was. */
  readonly originalText: string;
  /** Bytes of `originalText` as UTF-8. */
  readonly inputBytes: number;
  /** Bytes of `text` as UTF-8. */
  readonly outputBytes: number;
}

/** Largest capture that may be asked for: 256 MiB, which takes seconds to minimize. */
const MAX_CAPTURE_BYTES = 256 * 1024 * 1024;

/** Longest rule file, in UTF-16 units: the contract's `MAX_RULE_FILE_BYTES`, without loading its schemas. */
const MAX_RULE_FILE_CHARS = 256 * 1024;

/** Most rule files: compiling each costs up to milliseconds. */
const MAX_RULE_FILES = 4;

/** What one stage of the minimizer did to a text. */
export interface MinimizerStage {
  readonly name: "gate" | "lossless" | "outline" | "families" | "check";
  /** Size of the text after the stage, as UTF-8. */
  readonly bytes: number;
  readonly lines: number;
  /** Families that worked on it, or why the text before it stands. */
  readonly note: string;
}

/** The stages in order, and the result; `null` where the original stands. */
export interface MinimizerExplanation {
  readonly stages: readonly MinimizerStage[];
  readonly result: MinimizerResult | null;
}

/**
 * Minimizes an output; `null` where the original is to be used as it is. `command` is the command line, or what a parser
 * made of it; a line is minimized where it is provably one simple command or a plain list. Takes up to a tenth of a second
 * of the caller's thread for 4 MiB; a host with other things to do uses {@link minimizeOutputAsync}.
 *
 * @throws ShellError when an option is wrong
 * @throws NativeLoadError when there is no addon for this platform
 */
export function minimizeOutput(
  command: string | Invocation,
  output: string,
  exitCode: number,
  options: MinimizerOptions = {},
): MinimizerResult | null {
  const asked = toAsked(command, output, exitCode, options);
  if (asked === undefined) return null;
  const minimized = native(() => binding().addon.minimize(asked.ran, output, asked.rules));
  return minimized === null ? null : toMinimizerResult(minimized, output);
}

/** {@link minimizeOutput} on a thread of the pool. Rejects where that throws. */
export async function minimizeOutputAsync(
  command: string | Invocation,
  output: string,
  exitCode: number,
  options: MinimizerOptions = {},
): Promise<MinimizerResult | null> {
  const asked = toAsked(command, output, exitCode, options);
  if (asked === undefined) return null;
  const minimized = await native(() => binding().addon.minimizeLater(asked.ran, output, asked.rules));
  return minimized === null ? null : toMinimizerResult(minimized, output);
}

/** Minimizes like {@link minimizeOutput} and tells what each stage did. `enabled` is not looked at. */
export function explainMinimizer(
  command: string | Invocation,
  output: string,
  exitCode: number,
  options: MinimizerOptions = {},
): MinimizerExplanation {
  const asked = toAsked(command, output, exitCode, { ...options, enabled: true });
  if (asked === undefined) return { stages: [], result: null };
  const explanation = native(() => binding().addon.explainMinimizer(asked.ran, output, asked.rules));
  const { minimized } = explanation;
  const stages = explanation.stages.map((stage) => ({ ...stage, name: stage.name as MinimizerStage["name"] }));
  return { stages, result: minimized === undefined ? null : toMinimizerResult(minimized, output) };
}

/**
 * Runs the inline tests of a rule file, or of the built-in rules where no text is given; how many there were, all of which
 * hold.
 *
 * @throws ShellError `PI_INVALID_OPTION` for a file that does not parse and for a test that does not hold, with its name
 */
export function verifyMinimizerRules(text?: string): { rules: number; tests: number } {
  const checked = text === undefined ? undefined : checkRuleFile("text", text);
  return native(() => binding().addon.verifyMinimizerRules(checked));
}

/** The call as the addon takes it; nothing where the minimizer is switched off. */
function toAsked(command: string | Invocation, output: string, exitCode: number, options: MinimizerOptions) {
  checkText("output", output, { nul: true });
  checkWhole("exitCode", exitCode, -(2 ** 31), 2 ** 31 - 1);
  const rules = toMinimizerRules(options, "options");
  const ran = typeof command === "string" ? { command } : { command: "", argv: toArgv("command", command) };
  return rules === undefined ? undefined : { ran: { ...ran, exitCode }, rules };
}

const NAMES: Readonly<Record<keyof MinimizerOptions, true>> = {
  enabled: true,
  only: true,
  except: true,
  maxCaptureBytes: true,
  sourceOutlineLevel: true,
  losslessOnly: true,
  incomplete: true,
  reference: true,
  ruleFiles: true,
};

/** The addon's form of the options; none where the minimizer is switched off. `name` stands for them in errors. */
export function toMinimizerRules(options: MinimizerOptions, name: string): MinimizerRules | undefined {
  checkObject(name, options);
  checkKnown(name, options, Object.keys(NAMES));
  const { only, except, maxCaptureBytes, sourceOutlineLevel, losslessOnly, incomplete, reference, ruleFiles } = options;
  const rules: MinimizerRules = {
    ...(absent(only) ? {} : { only: checkList("only", only) }),
    ...(absent(except) ? {} : { except: checkList("except", except) }),
    ...(absent(maxCaptureBytes)
      ? {}
      : { maxCaptureBytes: checkWhole("maxCaptureBytes", maxCaptureBytes, 0, MAX_CAPTURE_BYTES) }),
    ...(absent(sourceOutlineLevel) ? {} : { sourceOutline: checkLevel(sourceOutlineLevel) }),
    losslessOnly: losslessOnly === true,
    incomplete: incomplete === true,
    ...(absent(reference) ? {} : { reference: checkText("reference", reference) }),
    ...(absent(ruleFiles) ? {} : { ruleFiles: checkRuleFiles(ruleFiles) }),
  };
  return options.enabled === false ? undefined : rules;
}

/** The argument list of an invocation. `name` stands for it in errors. */
export function toArgv(name: string, invocation: Invocation): string[] {
  checkObject(name, invocation);
  return checkList(`${name}.argv`, invocation.argv);
}

/** The public form of a rewritten output. */
export function toMinimizerResult(minimized: MinimizedText, originalText: string): MinimizerResult {
  const { filter, text, inputBytes, outputBytes } = minimized;
  return { filter, text, originalText, inputBytes, outputBytes };
}

function checkList(name: string, value: unknown): string[] {
  if (!Array.isArray(value)) throw invalidOption(name, "is not an array of strings");
  return value.map((item, index) => checkText(`${name}[${index}]`, item, { nul: true }));
}

function checkRuleFiles(value: unknown): string[] {
  if (!Array.isArray(value)) throw invalidOption("ruleFiles", "is not an array of strings");
  if (value.length > MAX_RULE_FILES) throw invalidOption("ruleFiles", `has more than ${MAX_RULE_FILES} files`);
  return value.map((text, index) => checkRuleFile(`ruleFiles[${index}]`, text));
}

function checkRuleFile(name: string, value: unknown): string {
  const text = checkText(name, value, { nul: true });
  if (text.length > MAX_RULE_FILE_CHARS) throw invalidOption(name, `is longer than ${MAX_RULE_FILE_CHARS} characters`);
  return text;
}

function checkLevel(value: unknown): "default" | "aggressive" {
  if (value === "default" || value === "aggressive") return value;
  throw invalidOption("sourceOutlineLevel", `is \`${shown(value)}\`; give \`default\` or \`aggressive\``);
}
