/**
 * Rewrites a command's output so that a model reads fewer tokens and loses no fact.
 */
import { binding } from "./binding.ts";
import { absent, checkObject, checkText, checkWhole } from "./check-option.ts";
import type { MinimizedText, MinimizerRules } from "./generated/binding.d.ts";
import { invalidOption } from "./shell-error.ts";

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
}

/** A rewritten output. */
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

/**
 * Minimizes an output; `null` where the original is to be used as it is. `command` is the command line, or what a parser
 * made of it; a line is minimized where it is provably one simple command or a plain list.
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
  checkText("output", output, { nul: true });
  checkWhole("exitCode", exitCode, -(2 ** 31), 2 ** 31 - 1);
  const rules = toMinimizerRules(options, "options");
  const ran = typeof command === "string" ? { command } : { command: "", argv: toArgv("command", command) };
  if (rules === undefined) return null;
  const minimized = binding().addon.minimize({ ...ran, exitCode }, output, rules);
  return minimized === null ? null : toMinimizerResult(minimized, output);
}

/** The addon's form of the options; none where the minimizer is switched off. `name` stands for them in errors. */
export function toMinimizerRules(options: MinimizerOptions, name: string): MinimizerRules | undefined {
  checkObject(name, options);
  const { only, except, maxCaptureBytes, sourceOutlineLevel, losslessOnly, incomplete, reference } = options;
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
  if (!Array.isArray(value)) throw invalidOption(name, "is no array of strings");
  return value.map((item, index) => checkText(`${name}[${index}]`, item, { nul: true }));
}

function checkLevel(value: unknown): "default" | "aggressive" {
  if (value === "default" || value === "aggressive") return value;
  throw invalidOption("sourceOutlineLevel", `is \`${String(value)}\`; give \`default\` or \`aggressive\``);
}
