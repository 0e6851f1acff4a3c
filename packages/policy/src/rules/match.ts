/**
 * Matches rules against what runs.
 *
 * Two questions, asked differently. "Does a deny or ask rule concern this line?" is answered on the safe side: any
 * command at any nesting, through any wrapper, by any path, and "perhaps" where a word is not known. "Is this command
 * covered by an allow rule?" needs every word known or free, and the program to be what its name says.
 */
import { posix } from "node:path";
import {
  type CommandAnalysis,
  type EffectiveCommand,
  programName,
  type Redirection,
  type Word,
} from "@pi-bash/command";
import type { Pattern, Rule, Token } from "./rule.ts";

/** `maybe`: a word that expands could make it match. */
export type MatchResult = "yes" | "maybe" | "no";

/** How strongly a restricting rule concerns a line. */
export function concerns(rule: Rule, analysis: CommandAnalysis, cwd: string | undefined): MatchResult {
  const { pattern } = rule;
  if (pattern.kind === "everything") return "yes";
  if (pattern.kind === "write") {
    return strongestOf(redirectionsOf(analysis), (each) => writeConcerns(pattern, each, cwd));
  }
  return strongest([
    strongestOf(analysis.effective, ({ argv, argvComplete }) => restricts(pattern, argv, argvComplete)),
    strongestOf(analysis.commands, ({ argv }) => restricts(pattern, argv, true)),
    strongestOf(analysis.nestedCommands, ({ argv }) => restricts(pattern, argv, true)),
  ]);
}

/** The strongest result over a list; nothing of a list of thousands is copied for it. */
function strongestOf<T>(list: readonly T[], resultOf: (each: T) => MatchResult): MatchResult {
  let found: MatchResult = "no";
  for (const each of list) {
    const result = resultOf(each);
    if (result === "yes") return "yes";
    if (result === "maybe") found = "maybe";
  }
  return found;
}

/** True when an allow rule covers a command: as it runs after harmless wrappers, or as it is written. */
export function covers(rule: Rule, command: EffectiveCommand): boolean {
  return allows(rule.pattern, command.argv, command.argvComplete) || coversWritten(rule, command);
}

/**
 * True when an allow rule covers the words as they are written, wrappers included.
 *
 * It must name what runs in the end: `Bash(sudo apt-get **)` covers `sudo apt-get update`, `Bash(find **)` does not
 * cover the `rm` of `find . -exec rm {} +`.
 */
export function coversWritten(rule: Rule, command: EffectiveCommand): boolean {
  const { pattern } = rule;
  if (pattern.kind === "everything") return true;
  const { argv } = command.written;
  if (!allows(pattern, argv, true)) return false;
  if (command.via.length === 0 || pattern.kind !== "argv") return true;
  const program = command.argv[0]?.span;
  const word = argv.find(({ span }) => program !== undefined && span.start <= program.start && program.end <= span.end);
  return pattern.tokens.some((token) => isNaming(token) && matchToken(token, word?.value ?? null, "free") === "yes");
}

function isNaming(token: Token): boolean {
  return token.kind === "literal" || token.kind === "one-of" || token.kind === "glob";
}

/** True when an allow rule covers the target of a redirection. */
export function coversWrite(rule: Rule, redirection: Redirection, cwd: string | undefined): boolean {
  if (rule.pattern.kind === "everything") return true;
  return rule.pattern.kind === "write" && writeConcerns(rule.pattern, redirection, cwd) === "yes";
}

/** All redirections of a line, at any nesting. */
export function redirectionsOf(analysis: CommandAnalysis): Redirection[] {
  return [
    ...[...analysis.commands, ...analysis.nestedCommands].flatMap((command) => command.redirections),
    ...analysis.constructs.flatMap((construct) => (construct.kind === "redirection" ? [construct.redirection] : [])),
  ];
}

/** The strongest of several results. */
export function strongest(results: readonly MatchResult[]): MatchResult {
  if (results.includes("yes")) return "yes";
  return results.includes("maybe") ? "maybe" : "no";
}

type ArgvPattern = Extract<Pattern, { kind: "argv" | "regex" }>;

function restricts(pattern: ArgvPattern, argv: readonly Word[], complete: boolean): MatchResult {
  if (argv.length === 0) return "no";
  const known = complete && argv.every((word) => word.value !== null);
  if (pattern.kind === "regex") {
    if (pattern.pattern.test(argv.map((word) => word.display).join(" "))) return "yes";
    return known ? "no" : "maybe";
  }
  if (isOtherProgram(pattern.tokens, argv[0])) return "no";
  // By any path: `./rm` and `/bin/rm` are `rm` to a rule that restricts.
  const named = argv.map((word, index) => (index === 0 ? baseOf(word) : word.value));
  const written = argv.map((word) => word.value);
  const results = [matchArgv(pattern.tokens, named, complete), matchArgv(pattern.tokens, written, complete)];
  return strongest(results);
}

/** Most rules name a program, and most commands are another: told apart without looking at the arguments. */
function isOtherProgram(tokens: readonly Token[], program: Word | undefined): boolean {
  const [first] = tokens;
  if (first?.kind !== "literal" || program === undefined || program.value === null) return false;
  return first.text !== program.value && first.text !== programName(program.value);
}

function baseOf(word: Word): string | null {
  return word.value === null ? null : programName(word.value);
}

function allows(pattern: Pattern, argv: readonly Word[], complete: boolean): boolean {
  const program = argv[0]?.value ?? null;
  if (program === null) return false;
  if (pattern.kind === "regex") {
    return (
      complete &&
      argv.every((word) => word.value !== null) &&
      pattern.whole.test(argv.map((word) => word.value).join(" "))
    );
  }
  if (pattern.kind !== "argv" || isOtherProgram(pattern.tokens, argv[0])) return false;
  // A path is the program only where the system installs it; a rule may name another path as it is written.
  const name = /^\/(?:usr\/)?bin\/[^/]+$/.test(program) ? programName(program) : program;
  const rest = argv.slice(1);
  return [name, program].some((first) => allowsArgv(pattern.tokens, first, rest, complete));
}

function allowsArgv(tokens: readonly Token[], program: string, rest: readonly Word[], complete: boolean): boolean {
  const free = tokens.at(-1)?.kind === "rest";
  if (!complete && !free) return false;
  // A word that may become several or an option is only covered by `**`, and not past a `!--flag`.
  const loose = rest.some(
    (word) =>
      word.value === null && (word.splits || word.expansions.glob || word.expansions.brace || word.leading === ""),
  );
  if (loose && (!free || tokens.some((token) => token.kind === "no-flag"))) return false;
  return matchArgv(tokens, [program, ...rest.map((word) => word.value)], true, "free") === "yes";
}

/**
 * Matches tokens against arguments. An unknown argument (null) matches a free token; against a literal it is "maybe",
 * or "no" when only certainty counts.
 */
function matchArgv(
  tokens: readonly Token[],
  argv: readonly (string | null)[],
  complete: boolean,
  unknown: "maybe" | "free" = "maybe",
): MatchResult {
  const used = new Set<number>();
  const open = unknown === "maybe" && (argv.includes(null, 1) || !complete);
  let result: MatchResult = "yes";
  for (const token of tokens) {
    if (token.kind === "flag") result = weakest(result, matchFlag(token.text, argv, used, open));
    if (token.kind === "no-flag") result = weakest(result, matchAbsence(token.text, argv, open));
  }
  const positional = tokens.filter((token) => token.kind !== "flag" && token.kind !== "no-flag");
  const rest = argv.filter((_, index) => !used.has(index));
  return weakest(result, matchPositional(positional, rest, complete, unknown));
}

function matchFlag(flag: string, argv: readonly (string | null)[], used: Set<number>, open: boolean): MatchResult {
  const at = argv.findIndex((word, index) => index > 0 && !used.has(index) && sameFlag(word, flag));
  if (at === -1) return open ? "maybe" : "no";
  used.add(at);
  return "yes";
}

function matchAbsence(flag: string, argv: readonly (string | null)[], open: boolean): MatchResult {
  if (argv.some((word, index) => index > 0 && sameFlag(word, flag))) return "no";
  return open ? "maybe" : "yes";
}

function sameFlag(word: string | null, flag: string): boolean {
  return word === flag || word?.startsWith(`${flag}=`) === true;
}

function weakest(a: MatchResult, b: MatchResult): MatchResult {
  if (a === "no" || b === "no") return "no";
  return a === "maybe" || b === "maybe" ? "maybe" : "yes";
}

function matchPositional(
  tokens: readonly Token[],
  argv: readonly (string | null)[],
  complete: boolean,
  unknown: "maybe" | "free",
): MatchResult {
  let result: MatchResult = "yes";
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "rest") return result;
    const word = argv[index];
    if (word === undefined) return complete ? "no" : "maybe";
    const matched = matchToken(token, word, unknown);
    if (matched === "no") return "no";
    result = weakest(result, matched);
  }
  return argv.length === tokens.length ? result : "no";
}

function matchToken(token: Token, word: string | null, unknown: "maybe" | "free"): MatchResult {
  if (token.kind === "one") return "yes";
  if (word === null) return unknown === "maybe" ? "maybe" : "no";
  switch (token.kind) {
    case "literal":
      return token.text === word ? "yes" : "no";
    case "one-of":
      return token.texts.includes(word) ? "yes" : "no";
    case "glob":
      return token.pattern.test(word) ? "yes" : "no";
    default:
      return "no";
  }
}

function writeConcerns(
  pattern: Extract<Pattern, { kind: "write" }>,
  redirection: Redirection,
  cwd: string | undefined,
): MatchResult {
  if (redirection.operator.startsWith("<") && redirection.operator !== "<>") return "no";
  const target = redirection.target?.value ?? null;
  if (target === null) return "maybe";
  if (/^[<>]&$/.test(redirection.operator) && /^(?:\d+-?|-)$/.test(target)) return "no";
  if (cwd === undefined && !target.startsWith("/")) return "maybe";
  const path = posix.resolve(cwd ?? "/", target);
  const relative = cwd === undefined ? path : posix.relative(cwd, path);
  // A relative pattern never reaches out of the folder it is relative to.
  if (pattern.relative) return !relative.startsWith("..") && pattern.pattern.test(relative) ? "yes" : "no";
  return pattern.pattern.test(path) ? "yes" : "no";
}
