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
import type { CallPattern, Pattern, PlaceToken, Rule } from "./rule.ts";

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
  const [program, ...rest] = words.map((text) => ({ kind: "literal", text }) as const);
  if (program === undefined) return false;
  const pattern: CallPattern = { kind: "call", program, words: rest, hasRest: true, flags: [], absentFlags: [] };
  const commands = [...analysis.effective, ...analysis.perhaps];
  return strongestOf(commands, (command) => concernsCommand(pattern, command)) !== "no";
}

/** A command whose program is known only when it runs may be any: it concerns every rule. */
function concernsCommand(pattern: CommandPattern, command: EffectiveCommand): MatchResult {
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
  if (command.via.length === 0 || pattern.kind !== "call") return true;
  const program = command.argv[0]?.span;
  const word = argv.find(({ span }) => program !== undefined && span.start <= program.start && program.end <= span.end);
  return (
    word !== undefined &&
    [pattern.program, ...pattern.words].some(
      (token) => isNaming(token) && matchToken(token, argumentOf(word), "surely") === "yes",
    )
  );
}

function isNaming(token: PlaceToken | undefined): boolean {
  return token !== undefined && token.kind !== "one";
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

type CommandPattern = Extract<Pattern, { kind: "call" | "regex" }>;

function restricts(pattern: CommandPattern, argv: readonly Word[]): MatchResult {
  if (argv.length === 0) return "no";
  if (pattern.kind === "regex") {
    if (pattern.pattern.test(argv.map((word) => word.display).join(" "))) return "yes";
    return argv.every((word) => word.value !== null) ? "no" : "maybe";
  }
  return strongestOf(callsIn(argv), (call) =>
    strongest([matchCall(pattern, call, "perhaps"), restrictsSubcommand(pattern, call)]),
  );
}

/** `git -C . push` is `git push` to a rule that names a subcommand. */
function restrictsSubcommand(pattern: CallPattern, { program, rest }: Call): MatchResult {
  if (!isNaming(pattern.words[0])) return "no";
  const places = subcommandPlaces(program.text, rest);
  if (places === "anywhere") return "maybe";
  return strongestOf(places, ({ at, sure }) => {
    const result = matchCall(pattern, { program, rest: rest.slice(at) }, "perhaps");
    return result === "yes" && !sure ? "maybe" : result;
  });
}

/** A word as rules see it. */
interface Argument {
  /** Null where it expands. */
  readonly text: string | null;
  /** What an expanding one begins with. */
  readonly leading: string;
  /** What an expanding one ends with. */
  readonly ending: string;
  /** It may be several words, or none. */
  readonly several: boolean;
  /** Only of the first of several words is known what it begins with. */
  readonly open: boolean;
}

function argumentOf({ value, leading, splits, expansions }: Word): Argument {
  const several = splits || expansions.glob || expansions.brace;
  return { text: value, leading, ending: "", several, open: splits };
}

function knownArgument(text: string): Argument {
  return { text, leading: text, ending: text, several: false, open: false };
}

/** `"$DIR"/build.sh` is not `rm`: what an expanding program ends with is known. */
function programArgument(program: Word): Argument {
  const name = programNameOf(program);
  return { ...argumentOf(program), ending: name === null ? "" : `/${name}` };
}

/** A command as rules see it. */
interface Call {
  readonly program: Argument;
  readonly rest: readonly Argument[];
}

/** Each command is matched by every rule. */
const calls = new WeakMap<readonly Word[], readonly Call[]>();

/** What a command may be: as it is written, and by the other names of its program. */
function callsIn(argv: readonly Word[]): readonly Call[] {
  const [program, ...words] = argv;
  if (program === undefined) return [];
  const known = calls.get(argv);
  if (known !== undefined) return known;
  const rest = words.map(argumentOf);
  const found = [{ program: programArgument(program), rest }];
  for (const [name, ...before] of callsOf(program))
    found.push({ program: knownArgument(name), rest: [...before.map(knownArgument), ...rest] });
  calls.set(argv, found);
  return found;
}

function allows(pattern: Pattern, argv: readonly Word[]): boolean {
  const program = argv[0]?.value ?? null;
  if (program === null) return false;
  if (pattern.kind === "regex") {
    return argv.every((word) => word.value !== null) && pattern.whole.test(argv.map((word) => word.value).join(" "));
  }
  if (pattern.kind !== "call") return false;
  // A path is the program only where the system installs it; a rule may name another path as it is written.
  const name = /^\/(?:usr\/)?bin\/[^/]+$/.test(program) ? programName(program) : program;
  const rest = argv.slice(1).map(argumentOf);
  return [name, program].some((first) => allowsCall(pattern, { program: knownArgument(first), rest }));
}

function allowsCall(pattern: CallPattern, call: Call): boolean {
  // A word that may become several or an option is only covered by `**`, and not past a `!--flag`.
  const loose = call.rest.some(({ text, several, leading }) => text === null && (several || leading === ""));
  if (loose && (!pattern.hasRest || pattern.absentFlags.length > 0)) return false;
  return matchCall(pattern, call, "surely") === "yes";
}

/** `surely`: for an allow rule, whose literal tokens must be known words. `perhaps`: for a rule that restricts. */
type Certainty = "surely" | "perhaps";

function matchCall(pattern: CallPattern, { program, rest }: Call, certainty: Certainty): MatchResult {
  // Any program, with any arguments.
  if (program.text === null && program.several) return certainty === "perhaps" ? "maybe" : "no";
  let result = matchToken(pattern.program, program, certainty);
  if (result === "no") return "no";
  const used = new Set<number>();
  for (const flag of pattern.flags) result = weakest(result, matchFlag(flag, rest, used));
  for (const flag of pattern.absentFlags) result = weakest(result, matchAbsence(flag, rest));
  const words = rest.filter((_, index) => !used.has(index));
  return weakest(result, matchWords(pattern, words, certainty));
}

function matchFlag(flag: string, rest: readonly Argument[], used: Set<number>): MatchResult {
  const at = rest.findIndex(({ text }, index) => !used.has(index) && sameFlag(text, flag));
  if (at === -1) return mayHave(flag, rest) ? "maybe" : "no";
  used.add(at);
  return "yes";
}

function matchAbsence(flag: string, rest: readonly Argument[]): MatchResult {
  if (rest.some(({ text }) => sameFlag(text, flag))) return "no";
  return mayHave(flag, rest) ? "maybe" : "yes";
}

/** True where a word that expands could be the flag. */
function mayHave(flag: string, rest: readonly Argument[]): boolean {
  return rest.some(
    ({ text, leading, open }) => text === null && (open || flag.startsWith(leading) || leading.startsWith(flag)),
  );
}

function sameFlag(word: string | null, flag: string): boolean {
  return word === flag || word?.startsWith(`${flag}=`) === true;
}

function weakest(a: MatchResult, b: MatchResult): MatchResult {
  if (a === "no" || b === "no") return "no";
  return a === "maybe" || b === "maybe" ? "maybe" : "yes";
}

function matchWords({ words, hasRest }: CallPattern, rest: readonly Argument[], certainty: Certainty): MatchResult {
  let result: MatchResult = "yes";
  for (const [index, token] of words.entries()) {
    const word = rest[index];
    if (word === undefined) return "no";
    // Behind a word that may be several, or none, no place is known any more.
    if (word.text === null && word.several) return certainty === "perhaps" ? "maybe" : "no";
    result = weakest(result, matchToken(token, word, certainty));
  }
  return hasRest ? result : weakest(result, matchEnd(rest.slice(words.length), certainty));
}

/** Words behind the last token: none, or such as may come out as none. */
function matchEnd(more: readonly Argument[], certainty: Certainty): MatchResult {
  if (more.length === 0) return "yes";
  const mayVanish = more.every(({ text, several }) => text === null && several);
  return certainty === "perhaps" && mayVanish ? "maybe" : "no";
}

function matchToken(token: PlaceToken, { text, leading, ending }: Argument, certainty: Certainty): MatchResult {
  if (token.kind === "one") return "yes";
  const texts = token.kind === "literal" ? [token.text] : token.kind === "one-of" ? token.texts : undefined;
  if (text === null) {
    const possible = texts === undefined || texts.some((each) => each.startsWith(leading) && each.endsWith(ending));
    return certainty === "perhaps" && possible ? "maybe" : "no";
  }
  if (texts !== undefined) return texts.includes(text) ? "yes" : "no";
  return token.kind === "glob" && token.pattern.test(text) ? "yes" : "no";
}
