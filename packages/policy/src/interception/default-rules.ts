/**
 * The default interception rules: shell commands for which an agent has a better tool.
 *
 * Guidance, not security: a command that slips through merely runs. They look at the parsed command, so that a stage
 * that reads a pipe is no file reader, a here-document no file, and `2>&1` or `/dev/null` no writing. How rules are
 * chosen and reported is in `interceptor.ts`.
 */
import type { Redirection, SimpleCommand } from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";

/** A built-in rule of interception: the commands, the tool that takes them, and the message. */
export interface DefaultRule {
  /** Tools that do the work better, the preferred one first; the rule holds while one of them is there. */
  readonly tools: readonly [string, ...string[]];
  /** What the model reads, after `Blocked: `, with the tool that is there. */
  readonly message: (tool: string) => string;
  readonly matches: (command: SimpleCommand) => boolean;
}

/** In the order they are tried. Sources: the rule table and texts of the specification. */
export const DEFAULT_INTERCEPTOR_RULES: readonly DefaultRule[] = [
  {
    tools: ["read"],
    message: (tool) =>
      `Use the \`${tool}\` tool instead of cat/head/tail. It provides better context and handles binary files.`,
    matches: readsFile,
  },
  {
    tools: ["search", "grep"],
    message: (tool) => `Use the \`${tool}\` tool instead of grep/rg. It respects ignore files and bounds its output.`,
    matches: searchesFiles,
  },
  {
    tools: ["find", "glob"],
    message: (tool) => `Use the \`${tool}\` tool instead of find/fd. It is faster and respects ignore files.`,
    matches: findsFiles,
  },
  {
    tools: ["edit"],
    message: (tool) => `Use the \`${tool}\` tool instead of sed -i/perl -i/awk -i inplace. It shows what changes.`,
    matches: editsInPlace,
  },
  {
    tools: ["write"],
    message: (tool) => `Use the \`${tool}\` tool instead of echo/printf/cat redirection. It needs no quoting.`,
    matches: writesFile,
  },
];

/** Name of the program, whatever folder it is called from; empty where it expands. */
function nameOf(command: SimpleCommand): string {
  return programName(firstValue(command.argv));
}

/** Arguments as far as they are known; an expanding one stands as written. */
function argumentsOf(command: SimpleCommand): string[] {
  return command.argv.slice(1).map((word) => word.value ?? word.text);
}

function operandsOf(command: SimpleCommand): string[] {
  return argumentsOf(command).filter((text) => !text.startsWith("-"));
}

function readsFile(command: SimpleCommand): boolean {
  if (!["cat", "head", "tail", "less", "more"].includes(nameOf(command))) return false;
  // Following a file and joining files into another are no reading, and a here-document is no file.
  if (argumentsOf(command).some((text) => /^-[a-zA-Z]*[fF]|^--(?:follow|retry)/.test(text))) return false;
  if (command.redirections.some((redirection) => writesTo(redirection) || redirection.operator.startsWith("<<"))) {
    return false;
  }
  const files = [
    ...operandsOf(command).filter((text) => !/^(?:\d+|\+\d+)$/.test(text)),
    ...command.redirections.flatMap((redirection) => (redirection.operator === "<" ? [redirection.text] : [])),
  ];
  return files.some((file) => !/\/(?:dev|proc)\//.test(file));
}

function searchesFiles(command: SimpleCommand): boolean {
  if (!["grep", "egrep", "fgrep", "rg", "ripgrep", "ag", "ack"].includes(nameOf(command))) return false;
  return operandsOf(command).length > 0 && !command.redirections.some((each) => each.operator.startsWith("<"));
}

function findsFiles(command: SimpleCommand): boolean {
  if (!["find", "fd", "fdfind", "locate"].includes(nameOf(command))) return false;
  const words = argumentsOf(command);
  const acts = words.some((text) => /^-(?:exec(?:dir)?|ok(?:dir)?|delete|fprint\w*|fls|x|X)$|^--exec/.test(text));
  return !acts && words.some((text) => /^-(?:i?name|type|t|glob|g)$|^--(?:type|glob)\b/.test(text));
}

function editsInPlace(command: SimpleCommand): boolean {
  const words = argumentsOf(command);
  switch (nameOf(command)) {
    case "sed":
    case "gsed":
      return words.some((text) => /^-[nErsuz]*i|^--in-place/.test(text));
    case "perl":
      return words.some((text) => /^-[a-zA-Z0]*i/.test(text) && !/^-[eEMmI]/.test(text));
    case "awk":
    case "gawk":
      return words.some((text, index) => /^-iinplace$|^--include=inplace$/.test(text) || isInplace(words, index));
    default:
      return false;
  }
}

const INCLUDES: ReadonlySet<string> = new Set(["-i", "--include"]);

function isInplace(words: readonly string[], index: number): boolean {
  return words[index] === "inplace" && INCLUDES.has(words[index - 1] ?? "");
}

function writesFile(command: SimpleCommand): boolean {
  const name = nameOf(command);
  const heredoc = command.redirections.some((redirection) => redirection.operator.startsWith("<<"));
  const writer = name === "echo" || name === "printf" || (name === "cat" && heredoc);
  return writer && command.redirections.some(writesTo);
}

/** True where a redirection puts standard output into a file; copies of descriptors and devices are none. */
function writesTo(redirection: Redirection): boolean {
  if (!["&>", "&>>", ">", ">>", ">|", ">&"].includes(redirection.operator)) return false;
  const target = redirection.target?.value ?? redirection.target?.text ?? "";
  if (redirection.operator === ">&" && /^(?:\d+-?|-)$/.test(target)) return false;
  const standardOutput = redirection.descriptor === undefined || redirection.descriptor === 1;
  return standardOutput && !/^\/dev\/(?:null|tty|stdout|stderr|fd\/\d+)$/.test(target);
}
