/**
 * Matches rules against what runs.
 *
 * Two questions, asked differently. "Does a deny or ask rule concern this line?" is answered on the safe side: any
 * command at any nesting, through any wrapper, by any path, and "perhaps" where a word is not known. "Is this command
 * covered by an allow rule?" needs every word known or free, and the program to be what its name says.
 */
import { type CommandAnalysis, type EffectiveCommand, type Redirection, type Word, wordsOf } from "@pi-bash/command";
import { programName, programNameOf } from "@pi-bash/command/internal";
import { subcommandPlaces } from "./before-subcommand.ts";
import { envConcerns } from "./match-variables.ts";
import { writeConcerns } from "./match-writes.ts";
import { callsOf } from "./program-names.ts";
import type { Pattern, Rule, Token } from "./rule.ts";

/** `maybe`: a word that expands could make it match. */
export type MatchResult = "yes" | "maybe" | "no";

/** How strongly a restricting rule concerns a line, and the variables its call sets. */
export function concerns(
  rule: Rule,
  analysis: CommandAnalysis,
  cwd: string | undefined,
  env: readonly string[] = [],
): MatchResult {
  const { pattern } = rule;
  if (pattern.kind === "everything") return "yes";
  if (pattern.kind === "env") return envConcerns(pattern, analysis, env);
  if (pattern.kind === "write") {
    return strongestOf(redirectionsOf(analysis), (each) => writeConcerns(pattern, each, cwd));
  }
  return strongest([
    strongestOf(analysis.effective, (command) => concernsCommand(pattern, command)),
    strongestOf(analysis.perhaps, (command) => (concernsCommand(pattern, command) === "no" ? "no" : "maybe")),
    strongestOf(analysis.commands, ({ argv }) => restricts(pattern, argv)),
    strongestOf(analysis.nestedCommands, ({ argv }) => restricts(pattern, argv)),
  ]);
}

/** True where a command of the line may begin with the words. */
export function mayBeginWith(words: readonly string[], analysis: CommandAnalysis): boolean {
  const tokens: Token[] = [...words.map((text): Token => ({ kind: "literal", text })), { kind: "rest" }];
  const pattern: ArgvPattern = { kind: "argv", tokens };
  const commands = [...analysis.effective, ...analysis.perhaps];
  return strongestOf(commands, (command) => concernsCommand(pattern, command)) !== "no";
}

/** A command whose program is known only when it runs may be any: it concerns every rule. */
function concernsCommand(pattern: ArgvPattern, command: EffectiveCommand): MatchResult {
  const result = restricts(pattern, wordsOf(command));
  return command.opaque && result === "no" ? "maybe" : result;
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
  return allows(rule.pattern, wordsOf(command)) || coversWritten(rule, command);
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
  if (!allows(pattern, argv)) return false;
  if (command.via.length === 0 || pattern.kind !== "argv") return true;
  const program = command.argv[0]?.span;
  const word = argv.find(({ span }) => program !== undefined && span.start <= program.start && program.end <= span.end);
  return (
    word !== undefined &&
    pattern.tokens.some((token) => isNaming(token) && matchToken(token, argumentOf(word), "surely") === "yes")
  );
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

function restricts(pattern: ArgvPattern, argv: readonly Word[]): MatchResult {
  if (argv.length === 0) return "no";
  if (pattern.kind === "regex") {
    if (pattern.pattern.test(argv.map((word) => word.display).join(" "))) return "yes";
    return argv.every((word) => word.value !== null) ? "no" : "maybe";
  }
  const calls = callsOf(argv[0]).filter(([name]) => mayBeNamed(pattern.tokens, name));
  if (calls.length === 0 && isOtherProgram(pattern.tokens, argv[0])) return "no";
  const written = argv.map(argumentOf);
  const named = calls.map((call) => [...call.map(knownArgument), ...written.slice(1)]);
  return strongestOf([written, ...named], (each) => restrictsCall(pattern.tokens, each));
}

function restrictsCall(tokens: readonly Token[], argv: readonly Argument[]): MatchResult {
  return strongest([matchArgv(tokens, argv, "perhaps"), restrictsSubcommand(tokens, argv)]);
}

/** Most rules name a program, and most commands are another: distinguished without looking at the arguments. */
function mayBeNamed([first]: readonly Token[], name: string | undefined): boolean {
  return first?.kind !== "literal" || first.text === name;
}

/** `git -C . push` is `git push` to a rule that names a subcommand. */
function restrictsSubcommand(tokens: readonly Token[], argv: readonly Argument[]): MatchResult {
  const subcommand = tokens.filter(({ kind }) => kind !== "flag" && kind !== "no-flag")[1];
  const [program] = argv;
  if (subcommand === undefined || !isNaming(subcommand) || program === undefined) return "no";
  const places = subcommandPlaces(program.text ?? "", argv);
  if (places === "anywhere") return "maybe";
  return strongestOf(places, ({ at, sure }) => {
    const result = matchArgv(tokens, [program, ...argv.slice(at)], "perhaps");
    return result === "yes" && !sure ? "maybe" : result;
  });
}

/** Most rules name a program, and most commands are another: distinguished without looking at the arguments. */
function isOtherProgram(tokens: readonly Token[], program: Word | undefined): boolean {
  const [first] = tokens;
  if (first?.kind !== "literal" || program === undefined) return false;
  const name = programNameOf(program);
  return name !== null && first.text !== program.value && first.text !== name;
}

/** A word as rules see it. */
interface Argument {
  /** Null where it expands. */
  readonly text: string | null;
  /** What an expanding one begins with. */
  readonly leading: string;
  /** It may be several words, or none. */
  readonly several: boolean;
  /** Only of the first of several words is known what it begins with. */
  readonly open: boolean;
}

function argumentOf({ value, leading, splits, expansions }: Word): Argument {
  return { text: value, leading, several: splits || expansions.glob || expansions.brace, open: splits };
}

function knownArgument(text: string): Argument {
  return { text, leading: text, several: false, open: false };
}

function allows(pattern: Pattern, argv: readonly Word[]): boolean {
  const program = argv[0]?.value ?? null;
  if (program === null) return false;
  if (pattern.kind === "regex") {
    return argv.every((word) => word.value !== null) && pattern.whole.test(argv.map((word) => word.value).join(" "));
  }
  if (pattern.kind !== "argv" || isOtherProgram(pattern.tokens, argv[0])) return false;
  // A path is the program only where the system installs it; a rule may name another path as it is written.
  const name = /^\/(?:usr\/)?bin\/[^/]+$/.test(program) ? programName(program) : program;
  const rest = argv.slice(1).map(argumentOf);
  return [name, program].some((first) => allowsArgv(pattern.tokens, first, rest));
}

function allowsArgv(tokens: readonly Token[], program: string, rest: readonly Argument[]): boolean {
  // A word that may become several or an option is only covered by `**`, and not past a `!--flag`.
  const loose = rest.some(({ text, several, leading }) => text === null && (several || leading === ""));
  if (loose && (tokens.at(-1)?.kind !== "rest" || tokens.some((token) => token.kind === "no-flag"))) return false;
  return matchArgv(tokens, [knownArgument(program), ...rest], "surely") === "yes";
}

/** `surely`: for an allow rule, whose literal tokens must be known words. `perhaps`: for a rule that restricts. */
type Certainty = "surely" | "perhaps";

function matchArgv(tokens: readonly Token[], argv: readonly Argument[], certainty: Certainty): MatchResult {
  const used = new Set<number>();
  let result: MatchResult = "yes";
  for (const token of tokens) {
    if (token.kind === "flag") result = weakest(result, matchFlag(token.text, argv, used));
    if (token.kind === "no-flag") result = weakest(result, matchAbsence(token.text, argv));
  }
  const positional = tokens.filter((token) => token.kind !== "flag" && token.kind !== "no-flag");
  const rest = argv.filter((_, index) => !used.has(index));
  return weakest(result, matchPositional(positional, rest, certainty));
}

function matchFlag(flag: string, argv: readonly Argument[], used: Set<number>): MatchResult {
  const at = argv.findIndex(({ text }, index) => index > 0 && !used.has(index) && sameFlag(text, flag));
  if (at === -1) return mayHave(flag, argv) ? "maybe" : "no";
  used.add(at);
  return "yes";
}

function matchAbsence(flag: string, argv: readonly Argument[]): MatchResult {
  if (argv.some(({ text }, index) => index > 0 && sameFlag(text, flag))) return "no";
  return mayHave(flag, argv) ? "maybe" : "yes";
}

/** True where a word that expands could be the flag. */
function mayHave(flag: string, argv: readonly Argument[]): boolean {
  return argv.some(
    ({ text, leading, open }, index) =>
      index > 0 && text === null && (open || flag.startsWith(leading) || leading.startsWith(flag)),
  );
}

function sameFlag(word: string | null, flag: string): boolean {
  return word === flag || word?.startsWith(`${flag}=`) === true;
}

function weakest(a: MatchResult, b: MatchResult): MatchResult {
  if (a === "no" || b === "no") return "no";
  return a === "maybe" || b === "maybe" ? "maybe" : "yes";
}

function matchPositional(tokens: readonly Token[], argv: readonly Argument[], certainty: Certainty): MatchResult {
  let result: MatchResult = "yes";
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "rest") return result;
    const word = argv[index];
    if (word === undefined) return "no";
    // Behind a word that may be several, or none, no place is known any more.
    if (word.text === null && word.several) return certainty === "perhaps" ? weakest(result, "maybe") : "no";
    const matched = matchToken(token, word, certainty);
    if (matched === "no") return "no";
    result = weakest(result, matched);
  }
  return weakest(result, matchEnd(argv.slice(tokens.length), certainty));
}

/** Words behind the last token: none, or such as may come out as none. */
function matchEnd(more: readonly Argument[], certainty: Certainty): MatchResult {
  if (more.length === 0) return "yes";
  const mayVanish = more.every(({ text, several }) => text === null && several);
  return certainty === "perhaps" && mayVanish ? "maybe" : "no";
}

function matchToken(token: Token, { text, leading }: Argument, certainty: Certainty): MatchResult {
  if (token.kind === "one") return "yes";
  const texts = token.kind === "literal" ? [token.text] : token.kind === "one-of" ? token.texts : undefined;
  if (text === null) {
    const possible = texts === undefined || texts.some((each) => each.startsWith(leading));
    return certainty === "perhaps" && possible ? "maybe" : "no";
  }
  if (texts !== undefined) return texts.includes(text) ? "yes" : "no";
  return token.kind === "glob" && token.pattern.test(text) ? "yes" : "no";
}
