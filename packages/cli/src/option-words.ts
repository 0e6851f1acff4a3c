/**
 * `node:util`'s `parseArgs` with refusals that a person can act on.
 *
 * Here is how a wrong option is reported; which options there are is in `surface/options.ts`, and what their values may be is
 * the command's.
 */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { nearestNames } from "@pi-bash/contract/internal";
import { UsageError } from "./usage.ts";

/** Longest deadline, in seconds: what fits the timers below. */
const MAX_TIMEOUT_SECONDS = 2_147_483;

/**
 * Reads the words after a command's name.
 *
 * @throws {UsageError} that names the option, where one is unknown, lacks its value or has one too many.
 */
export function parseOptionWords<const T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    const parsed = parseArgs(config);
    refuseRepeated(config);
    refuseEmptyPaths(config);
    return parsed;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(refusalOf(error, config), { cause: error });
  }
}

/** `parseArgs` takes the last of two values without a word. */
function refuseRepeated(config: ParseArgsConfig): void {
  const given = new Set<string>();
  for (const token of parseArgs({ ...config, tokens: true }).tokens) {
    if (token.kind !== "option" || config.options?.[token.name]?.multiple === true) continue;
    if (given.has(token.name)) throw new UsageError(`\`${token.rawName}\` is given twice; give it once`);
    given.add(token.name);
  }
}

/** An empty path, as of a variable that is not set, would be this folder. */
function refuseEmptyPaths(config: ParseArgsConfig): void {
  for (const token of parseArgs({ ...config, tokens: true }).tokens) {
    if (token.kind !== "option" || token.value !== "") continue;
    if (isPath(config.options?.[token.name]))
      throw new UsageError(`\`${token.rawName}\` needs a value, not an empty one`);
  }
}

/** Whether the table of options (`surface/options.ts`) has a path for the value. */
function isPath(option: object | undefined): boolean {
  return (
    option !== undefined && "completion" in option && (option.completion === "folder" || option.completion === "file")
  );
}

/**
 * Reads `NAME=VALUE`, the value of `option`.
 *
 * @throws {UsageError} where it has no name or no `=`.
 */
export function parseAssignment(assignment: string, option: string): [name: string, value: string] {
  const at = assignment.indexOf("=");
  if (at < 1) throw new UsageError(`\`${option}\` takes NAME=VALUE, not \`${assignment}\``);
  return [assignment.slice(0, at), assignment.slice(at + 1)];
}

/**
 * Reads the value of `--timeout`, in seconds.
 *
 * @throws {UsageError} where it is not a decimal number above 0, or more than {@link MAX_TIMEOUT_SECONDS}.
 */
export function parseTimeoutSeconds(text: string): number {
  return parseSeconds(text, "--timeout");
}

/**
 * The same for another option.
 *
 * @throws {UsageError} that names `option`.
 */
export function parseSeconds(text: string, option: string): number {
  const seconds = Number(text);
  // `Number` reads `0x10` and `1e3` as well.
  if (!/^(?:\d+\.?\d*|\.\d+)$/.test(text) || seconds <= 0) {
    throw new UsageError(`\`${option}\` takes a number of seconds above 0, not \`${text}\``);
  }
  if (seconds > MAX_TIMEOUT_SECONDS) {
    throw new UsageError(`\`${option}\` takes at most ${MAX_TIMEOUT_SECONDS} seconds, not \`${text}\``);
  }
  return seconds;
}

function refusalOf(error: unknown, config: ParseArgsConfig): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? error.code : "";
  const word = /'([^' ]+)/.exec(message)?.[1];
  if (word === undefined) return message;
  switch (code) {
    case "ERR_PARSE_ARGS_UNKNOWN_OPTION":
      return `there is no option \`${word}\`${remedyFor(word, config)}`;
    case "ERR_PARSE_ARGS_INVALID_OPTION_VALUE":
      if (message.includes("does not take an argument")) return `\`${word}\` takes no value`;
      return message.includes("ambiguous")
        ? `\`${word}\` needs a value; one that begins with a dash is written \`${word}=-…\``
        : `\`${word}\` needs a value`;
    case "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL":
      return `there is nothing to do with \`${word}\``;
    default:
      return message;
  }
}

/** What may have been meant by an option that there is not. */
function remedyFor(option: string, config: ParseArgsConfig): string {
  // `pi-bash run ls -l` is what a person tries first.
  if (followsCommand(option, config)) return "; a command with options of its own needs quotes";
  const [nearest] = nearestNames(option.replace(/^-+/, ""), Object.keys(config.options ?? {}));
  return nearest === undefined ? "" : `; the nearest is \`--${nearest}\``;
}

/** Whether a word that is no option, the command, stands before `option`. */
function followsCommand(option: string, config: ParseArgsConfig): boolean {
  const { tokens } = parseArgs({ ...config, strict: false, allowPositionals: true, tokens: true });
  const at = tokens.findIndex((token) => token.kind === "option" && token.rawName === option);
  return tokens.slice(0, at).some(({ kind }) => kind === "positional") && config.allowPositionals === true;
}
