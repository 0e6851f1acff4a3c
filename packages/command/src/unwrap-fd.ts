/**
 * Looks through `fd -x command`: the rest of the line up to `;`, once for each name that is found.
 *
 * The option that runs a command may stand in a cluster (`-HI0x`), and behind values that look like options, so that
 * the options are read one by one. Which of them only read is the policy's matter.
 */
import { emit, type Guess, type State, type Step, together, type Unwrapped, unresolved } from "./unwrap-state.ts";
import { appendedWord, type Filling, filledWord, literalWord, type Span, type Word } from "./word.ts";
import { readOptions } from "./wrapper-options.ts";
import type { WrapperSpec } from "./wrapper-table.ts";

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
    "--and",
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
  const found = findFdCommand(argv);
  if (found === "none") return emit(argv, state);
  if (found === "unknown") {
    return together([unresolved(argv, state, "an option of the search is not known"), guess(argv, state)]);
  }
  const inner: State = { ...state, via: [...state.via, "fd --exec"], argvComplete: false, noisy: true };
  // A name in its own folder (`{/}`) may begin with a dash; without a placeholder the name is appended.
  const filling: Filling = { splits: true, leading: "" };
  const command = found.map((word) => filledWord(word, "{", filling));
  return together([emit(argv, state), step([...command, appendedWord(spanAfter(argv), filling)], inner)]);
}

/** Reads the options one by one, with operands between them, up to the one that runs a command. */
function findFdCommand(argv: readonly Word[]): readonly Word[] | "none" | "unknown" {
  for (let index = 1; index < argv.length; index++) {
    const word = argv[index];
    if (word === undefined || word.value === "--") return "none";
    if (isOperand(word)) continue;
    if (word.value === null) return "unknown";
    const runs = runsFrom(word.value);
    if (runs !== undefined) return commandFrom(runs, word, argv.slice(index + 1));
    const values = takesNext(word.value) ? 1 : 0;
    const option = [word, word, ...argv.slice(index + 1, index + 1 + values)];
    if (readOptions(FD, option).kind !== "at") return "unknown";
    index += values;
  }
  return "none";
}

function isOperand(word: Word): boolean {
  const start = word.value ?? word.leading;
  return !word.splits && start !== "" && (start === "-" || !start.startsWith("-"));
}

function commandFrom(attached: string, option: Word, rest: readonly Word[]): readonly Word[] {
  const head = attached === "" ? [] : [literalWord(attached, option.span)];
  const end = rest.findIndex((each) => each.value === ";");
  return [...head, ...(end === -1 ? rest : rest.slice(0, end))];
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
