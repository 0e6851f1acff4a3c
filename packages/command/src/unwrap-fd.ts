/**
 * Looks through `fd -x command`: the rest of the line up to `;`, once for each name that is found.
 *
 * The option that runs a command may stand in a cluster (`-HI0x`), and behind values that look like options, so that
 * the options are read one by one. Which of them only read is the policy's matter.
 */
import { emit, type Guess, type State, type Step, together, type Unwrapped, unresolved } from "./unwrap-state.ts";
import { appendedWord, type Filling, filledWord, literalWord, type Span, type Word } from "./word.ts";
import { readOptions } from "./wrapper-options.ts";
import type { WrapperSpec } from "./wrapper-spec.ts";

/** The options of `fd` before a command; from the manual of fd 10.3. Which of them only read is the policy's matter. */
const FD: WrapperSpec = {
  flags: "HIusiFalLpg01qVhr",
  valued: "detESocjC",
  long: [
    "--hidden",
    "--no-hidden",
    "--no-ignore",
    "--ignore",
    "--no-ignore-vcs",
    "--ignore-vcs",
    "--no-ignore-parent",
    "--no-require-git",
    "--require-git",
    "--no-global-ignore-file",
    "--unrestricted",
    "--case-sensitive",
    "--ignore-case",
    "--glob",
    "--regex",
    "--fixed-strings",
    "--absolute-path",
    "--relative-path",
    "--list-details",
    "--follow",
    "--no-follow",
    "--full-path",
    "--print0",
    "--quiet",
    "--has-results",
    "--show-errors",
    "--one-file-system",
    "--mount",
    "--xdev",
    "--prune",
    "--strip-cwd-prefix",
    "--help",
    "--version",
    "--hyperlink",
  ],
  longValued: [
    "--and",
    "--max-depth",
    "--min-depth",
    "--exact-depth",
    "--exclude",
    "--type",
    "--extension",
    "--size",
    "--changed-within",
    "--changed-before",
    "--owner",
    "--format",
    "--batch-size",
    "--ignore-file",
    "--color",
    "--threads",
    "--max-results",
    "--search-path",
    "--base-directory",
    "--path-separator",
    "--gen-completions",
    "--ignore-contain",
    "--newer",
    "--older",
    "--maxdepth",
  ],
};

/** `fd … -x command`: the rest of the line up to `;`, once for each name. */
export function throughFd(argv: readonly Word[], state: State, step: Step, guess: Guess): Unwrapped {
  const found = findFdCommands(argv);
  if (found === "unknown") {
    return together([unresolved(argv, state, "an option of the search is not known"), guess(argv, state)]);
  }
  const inner: State = { ...state, via: [...state.via, "fd --exec"], argvComplete: false, noisy: true };
  // A name in its own folder (`{/}`) may begin with a dash; without a placeholder the name is appended.
  const filling: Filling = { splits: true, leading: "" };
  const end = appendedWord(spanAfter(argv), filling);
  const runs = found.map((command) => step([...command.map((word) => filledWord(word, "{", filling)), end], inner));
  return together([emit(argv, state), ...runs]);
}

/** Reads the options one by one, with operands between them, and takes out each command up to its `;`. */
function findFdCommands(argv: readonly Word[]): readonly (readonly Word[])[] | "unknown" {
  const commands: (readonly Word[])[] = [];
  for (let index = 1; index < argv.length; index++) {
    const word = argv[index];
    if (word === undefined || word.value === "--") break;
    if (isOperand(word)) continue;
    const read = readFdOption(word, argv, index);
    if (read === undefined) return "unknown";
    if (read.runs !== undefined) commands.push(read.runs);
    index += read.values;
  }
  return commands;
}

/** The words behind an option that belong to it, and the command among them where it runs one. */
function readFdOption(
  word: Word,
  argv: readonly Word[],
  index: number,
): { readonly values: number; readonly runs?: readonly Word[] } | undefined {
  if (word.value === null) return undefined;
  const attached = runsFrom(word.value);
  if (attached === undefined) {
    const values = takesNext(word.value) ? 1 : 0;
    const option = [word, word, ...argv.slice(index + 1, index + 1 + values)];
    return readOptions(FD, option).kind === "at" ? { values } : undefined;
  }
  // What is attached is the whole command: `fd -xrm . /etc` runs `rm` on all below `/etc`. Tried with fd 8.6.
  if (attached !== "") return { values: 0, runs: [literalWord(attached, word.span)] };
  const count = untilEnd(argv, index + 1);
  return { values: count + 1, runs: argv.slice(index + 1, index + 1 + count) };
}

/** Words up to the `;` that ends a command, or all. */
function untilEnd(argv: readonly Word[], from: number): number {
  const end = argv.findIndex((word, at) => at >= from && word.value === ";");
  return (end === -1 ? argv.length : end) - from;
}

function isOperand(word: Word): boolean {
  const start = word.value ?? word.leading;
  return !word.splits && start !== "" && (start === "-" || !start.startsWith("-"));
}

/** What is attached to `-x` or `--exec` of a cluster; undefined where the word has neither. */
function runsFrom(text: string): string | undefined {
  const long = /^--exec(?:-batch)?(?:=(.*))?$/s.exec(text);
  if (long !== null) return long[1] ?? "";
  if (text.startsWith("--")) return undefined;
  for (let at = 1; at < text.length; at++) {
    const letter = text[at] ?? "";
    if (letter === "x" || letter === "X") return text.slice(at + 1).replace(/^=/, "");
    if (FD.valued.includes(letter)) return undefined;
  }
  return undefined;
}

function takesNext(text: string): boolean {
  if (text.startsWith("--")) return FD.longValued?.includes(text) === true;
  for (let at = 1; at < text.length; at++) if (FD.valued.includes(text[at] ?? "")) return at === text.length - 1;
  return false;
}

function spanAfter(argv: readonly Word[]): Span {
  const end = argv.at(-1)?.span.end ?? 0;
  return { start: end, end };
}
