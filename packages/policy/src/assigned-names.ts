/**
 * Every variable that a line sets in the shell that runs it, whichever syntax or builtin does so.
 *
 * `printf -v`, `${x:=…}`, `{x}<file`, `wait -p`, `coproc` and arithmetic set variables as much as `x=…` does. What is set
 * in a subshell, a pipeline or a substitution dies with it. Which names matter is decided in `taint.ts`.
 */
import type {
  CommandAnalysis,
  CommandContext,
  Construct,
  EffectiveCommand,
  Redirection,
  Span,
  Word,
} from "@pi-bash/command";
import { wordPieces } from "@pi-bash/command/internal";

/** A variable that is set. */
export interface AssignedName {
  /** Without a subscript; undefined where only bash knows it. */
  readonly name: string | undefined;
  /** What sets it, for a message: "`read`", "a loop". */
  readonly by: string;
  readonly span: Span;
}

/** True where what changes stays: in the shell that will run the next line. */
function lasts({ subshell, substitution, background, stage }: CommandContext): boolean {
  return !(subshell || substitution || background || stage);
}

/** Wrappers that run a builtin in the same shell; every other one starts a process. */
const SAME_SHELL = /^(?:command|builtin|eval|exec|trap|alias|time|-)$/;

/** True for a command that runs in the shell itself, where it is a builtin. */
export function runsInShell({ via, simple }: EffectiveCommand): boolean {
  return lasts(simple.context) && via.every((each) => SAME_SHELL.test(each));
}

/** All variables that a line sets. */
export function assignedNames(analysis: CommandAnalysis): AssignedName[] {
  const assignments = analysis.commands.flatMap((command) => command.assignments);
  const processes = new Set(assignments.filter(({ text }) => /="?\$!"?$/.test(text)).map(({ name }) => name));
  return [
    ...analysis.commands.filter(({ context }) => lasts(context)).flatMap(setByCommand),
    ...analysis.effective.filter(runsInShell).flatMap((command) => setByBuiltin(command, processes)),
    ...lastingConstructs(analysis).flatMap(setByConstruct),
  ];
}

/** The syntax that the shell itself goes through, without that in the texts of `bash -c`. */
export function lastingConstructs(analysis: CommandAnalysis): Construct[] {
  const elsewhere = new Set(
    analysis.effective.flatMap((command) =>
      command.simple === command.written || runsInShell(command) ? [] : [placeOf(command.simple.span)],
    ),
  );
  return analysis.constructs.filter(({ context, span }) => lasts(context) && !elsewhere.has(placeOf(span)));
}

function placeOf({ start, end }: Span): string {
  return `${start}:${end}`;
}

type Command = CommandAnalysis["commands"][number];

function setByCommand({ argv, assignments, redirections, span }: Command): AssignedName[] {
  const subscripts = assignments.flatMap(({ text }) => {
    const subscript = /^\w+\[([\s\S]*?)\]\+?=/.exec(text)?.[1];
    return subscript === undefined ? [] : setByArithmetic(subscript, span);
  });
  const bare = argv.length > 0 ? [] : assignments.map(({ name }) => ({ name, by: "an assignment", span }));
  return [...bare, ...subscripts, ...redirections.flatMap(setByRedirection)];
}

function setByRedirection({ descriptor, span }: Redirection): AssignedName[] {
  return typeof descriptor === "string" ? [named(descriptor, "a redirection", span)] : [];
}

function named(text: string, by: string, span: Span): AssignedName {
  const name = /^[A-Za-z_]\w*/.exec(text)?.[0];
  return { name, by, span };
}

const SETS_NOTHING: ReadonlySet<string> = new Set(["none", "error"]);

function setByConstruct(construct: Construct): AssignedName[] {
  const { span, text } = construct;
  switch (construct.kind) {
    case "for":
    case "select":
      return [{ name: construct.name, by: "a loop", span }];
    case "coproc":
      return [{ name: construct.name, by: "`coproc`", span }];
    case "redirection":
      return setByRedirection(construct.redirection);
    case "parameter":
      return SETS_NOTHING.has(construct.acts) ? [] : setByParameter(text, span);
    case "arithmetic":
      return construct.literal ? [] : setByArithmetic(text, span);
    case "test":
      return construct.evaluates ? setByArithmetic(text, span) : [];
    default:
      return [];
  }
}

/** `${x:=…}` sets `x`, `${!x:=…}` whatever `x` names, and a subscript is arithmetic. */
function setByParameter(text: string, span: Span): AssignedName[] {
  const [piece] = wordPieces(text)?.words[0] ?? [];
  if (piece?.kind !== "parameter") return [{ name: undefined, by: "`${…}`", span }];
  if (!/^:?=$/.test(piece.operator ?? "")) return setByArithmetic(text, span);
  const computed = setByArithmetic(piece.subscript ?? "", span);
  return [{ name: piece.prefix === "!" ? undefined : piece.name, by: "`${…:=…}`", span }, ...computed];
}

const ASSIGNS = /([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*(?:=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)/g;

function setByArithmetic(text: string, span: Span): AssignedName[] {
  const unquoted = text.replaceAll(/["'\\]/g, "");
  return [...unquoted.matchAll(ASSIGNS)].map((match) => ({ name: match[1] ?? match[2], by: "arithmetic", span }));
}

function setByBuiltin(command: EffectiveCommand, processes: ReadonlySet<string>): AssignedName[] {
  const name = command.argv[0]?.value;
  const words = command.argv.slice(1);
  const at = { by: `\`${name ?? ""}\``, span: command.span };
  switch (name) {
    case "read":
      return readTargets(words).map((name) => ({ ...at, name }));
    case "mapfile":
    case "readarray":
      return orElse(targets(words, { naming: "", valued: "dnOsuCc" }), "MAPFILE").map((name) => ({ ...at, name }));
    case "getopts":
      return [...words.slice(1, 2), ...words.filter(isUnknown)].map((word) => ({ ...at, name: nameIn(word) }));
    case "printf":
      return setByPrintf(words).map((each) => ({ ...at, name: each }));
    case "wait":
      return targets(
        words.filter((word) => !isProcess(word, processes)),
        { naming: "p", valued: "", optionsOnly: true },
      ).map((word) => ({ ...at, name: nameIn(word) }));
    default:
      return [];
  }
}

/** The names behind `read`; without one it sets `REPLY`. */
function readTargets(words: readonly Word[]): (string | undefined)[] {
  return orElse(targets(words, { naming: "a", valued: "dinNptu" }), "REPLY");
}

/** What words name, or what a builtin sets without one. */
function orElse(words: readonly Word[], name: string): (string | undefined)[] {
  return words.length === 0 ? [name] : words.map(nameIn);
}

/** `$pid` after `pid=$!` is a number, and no option of `wait`. */
function isProcess({ text }: Word, processes: ReadonlySet<string>): boolean {
  return processes.has(/^"?\$\{?(\w+)\}?"?$/.exec(text)?.[1] ?? "");
}

function isUnknown(word: Word): boolean {
  return word.value === null;
}

/** The variable a word names; undefined where it expands or has a subscript that computes something. */
function nameIn(word: Word): string | undefined {
  return /^([A-Za-z_]\w*)(?:\[[\w@*]*\])?$/.exec(word.value ?? "")?.[1];
}

/** How the options of a builtin take their values. */
interface OptionSpec {
  /** Options whose value is the name of a variable. */
  readonly naming: string;
  /** Options with another value. */
  readonly valued: string;
  /** The words behind the options name something else. */
  readonly optionsOnly?: boolean;
}

/** The words that name variables: values of options, and what is behind the options. */
function targets(words: readonly Word[], spec: OptionSpec): Word[] {
  const found: Word[] = [];
  let at = 0;
  for (let word = words[at]; word !== undefined; word = words[at]) {
    if (word.value === "--") {
      at++;
      break;
    }
    const option = readOption(word, words[at + 1], spec);
    if (option === undefined) break;
    found.push(...option.names);
    at += option.width;
  }
  return spec.optionsOnly === true ? found : [...found, ...words.slice(at)];
}

function readOption(
  word: Word,
  next: Word | undefined,
  { naming, valued, optionsOnly }: OptionSpec,
): { names: Word[]; width: number } | undefined {
  if (word.value === null) {
    if (mayBeOption(word)) return { names: [word], width: 1 };
    return optionsOnly === true ? { names: [], width: 1 } : undefined;
  }
  if (!/^-./.test(word.value)) return optionsOnly === true ? { names: [], width: 1 } : undefined;
  const letters = word.value.slice(1);
  const at = [...letters].findIndex((each) => naming.includes(each) || valued.includes(each));
  if (at === -1) return { names: [], width: 1 };
  const attached = letters.slice(at + 1);
  const value = attached === "" ? next : { ...word, value: attached };
  const isName = naming.includes(letters[at] ?? "") && value !== undefined;
  return { names: isName ? [value] : [], width: attached === "" ? 2 : 1 };
}

function mayBeOption(word: Word): boolean {
  return (word.leading === "" && !/^"?\$(?:[!?#$]|\{#\w+\})"?$/.test(word.text)) || word.leading.startsWith("-");
}

/** `-v NAME`, `-vNAME`, and `%n`, which stores how much was printed. */
function setByPrintf(words: readonly Word[]): (string | undefined)[] {
  const [first, second] = words;
  if (first === undefined) return [];
  if (first.value === null && mayBeOption(first)) return [undefined];
  const attached = /^-v(?=.)/.test(first.value ?? "");
  const hasTarget = attached || first.value === "-v";
  const target = attached ? { ...first, value: first.value?.slice(2) ?? null } : second;
  const rest = words.slice(hasTarget ? (attached ? 1 : 2) : first.value === "--" ? 1 : 0);
  const stored = setByFormat(
    rest.find(({ value }) => value !== "--"),
    rest,
  );
  return hasTarget && target !== undefined ? [nameIn(target), ...stored] : stored;
}

function setByFormat(format: Word | undefined, words: readonly Word[]): (string | undefined)[] {
  if (format === undefined) return [];
  const stores = format.value === null || /%[-+ #0'*\d.]*[hlLqjzt]*n/.test(format.value.replaceAll("%%", ""));
  if (!stores) return [];
  const others = words.filter((word) => word !== format);
  // Of a format that expands only what is plainly a variable is taken for one: the format is seldom anything odd.
  return others.flatMap((word) => (format.value === null && nameIn(word) === undefined ? [] : [nameIn(word)]));
}
