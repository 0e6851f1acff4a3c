/**
 * Writes the snapshot: a bash file that gives a session what the user's rc gives a person.
 *
 * # What is kept
 * Functions, with the private helpers they call and the variables they read: a public function whose helper is missing
 * fails in the middle of its work. Aliases, changed options, exported variables and `PATH`. Names of common tools keep
 * their plain meaning. Values that look like secrets are never written, nor what keeps programs unattended, nor what
 * makes a shell stop or trace.
 *
 * # Order
 * Options first, because patterns in functions need `extglob`; functions before aliases, with alias expansion off, so
 * that an alias never gets into a function's text (RC-08).
 */
import { isControlVariable } from "../environment/control-names.ts";
import { NON_INTERACTIVE_ENV } from "../environment/non-interactive.ts";
import { isProviderKeyName, isSecretName, isSecretValue } from "../environment/secret-names.ts";
import { COMMON_TOOLS, RESERVED_WORDS } from "./common-tools.ts";
import { quote } from "./quote.ts";
import type { ShellRecord } from "./record.ts";

/** Options that make a shell stop, trace, or behave as if a person typed. */
const SKIPPED_OPTIONS = new Set([
  "emacs",
  "errexit",
  "histexpand",
  "history",
  "ignoreeof",
  "interactive-comments",
  "monitor",
  "noexec",
  "notify",
  "nounset",
  "onecmd",
  "posix",
  "privileged",
  "restricted",
  "verbose",
  "vi",
  "xtrace",
]);
const SKIPPED_SHOPTS = new Set(["expand_aliases", "extdebug", "login_shell", "restricted_shell"]);

/** Variables that bash sets itself, or that belong to the session and not to the rc. */
const SKIPPED_VARIABLES =
  /^(?:BASH.*|COMP_.*|DIRSTACK|EPOCH.*|EUID|FUNCNAME|GROUPS|HIST.*|HOME|HOSTNAME|HOSTTYPE|IFS|LC_.*|LINENO|MACHTYPE|OLDPWD|OPT(?:ARG|ERR|IND)|OSTYPE|PATH|PIPESTATUS|PPID|PROMPT_.*|PS[0-4]|PWD|RANDOM|SECONDS|SHELL|SHELLOPTS|SHLVL|SRANDOM|TERM|TMPDIR|UID|USER|_)$/;

const FUNCTION_NAME = /^[A-Za-z0-9_.:+@%,-]+$/;
const ALIAS_NAME = /^[^\s"'`$&;()<>|\\=/]+$/;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** What separates words of a command, for finding the names that a text mentions. */
const WORD_BREAKS = /[\s;&|()<>"'`$={}[\]\\!]+/;
const VARIABLE_USE = /\$\{?[!#]?([A-Za-z_][A-Za-z0-9_]*)/g;
/** `declare -p` prints `declare -<attributes> NAME=…`, attributes `-` for none. */
const DECLARATION = /^declare -([A-Za-z-]+) ([\s\S]*)$/;

/** A snapshot, and what it promises. */
export interface Snapshot {
  text: string;
  /** Names of the functions it defines. */
  functions: string[];
  /** `PATH` after it, if the rc changed it. */
  path: string | undefined;
}

/** Writes the snapshot of a record. */
export function assembleSnapshot(record: ShellRecord): Snapshot {
  const aliases = keptAliases(record);
  const functions = keptFunctions(record, [...aliases.values()]);
  const texts = [...functions.values(), ...aliases.values()];
  const path = record.exports.get("PATH");
  const lines = [
    "# Functions, aliases and options of the user's rc. Written by pi-bash; removed with its session.",
    "shopt -u expand_aliases",
    ...changedOptions(record.shopts, SKIPPED_SHOPTS).map(([name, isOn]) => `shopt -${isOn ? "s" : "u"} ${name}`),
    ...functions.values(),
    ...variablesOf(record, texts),
    ...exportsOf(record),
    ...(path === undefined ? [] : [`export PATH=${quote(path)}`]),
    ...changedOptions(record.options, SKIPPED_OPTIONS).map(([name, isOn]) => `set ${isOn ? "-" : "+"}o ${name}`),
    ...[...aliases].map(([name, value]) => `alias -- ${quote(name)}=${quote(value)}`),
    ...(aliases.size > 0 ? ["shopt -s expand_aliases"] : []),
  ];
  return { text: `${lines.join("\n")}\n`, functions: [...functions.keys()], path };
}

function keptAliases(record: ShellRecord): Map<string, string> {
  const kept = [...record.aliases].filter(
    ([name]) => ALIAS_NAME.test(name) && !COMMON_TOOLS.has(name) && !RESERVED_WORDS.has(name),
  );
  return new Map(kept);
}

/** Public functions, and every function that a kept one or an alias mentions, at any depth. */
function keptFunctions(record: ShellRecord, aliasTexts: readonly string[]): Map<string, string> {
  const kept = new Map<string, string>();
  const isUsable = (name: string): boolean =>
    FUNCTION_NAME.test(name) && !RESERVED_WORDS.has(name) && !COMMON_TOOLS.has(name) && record.functions.has(name);
  const queue = [...record.functions.keys()].filter((name) => !name.startsWith("_"));
  queue.push(...aliasTexts.flatMap(mentionedWords));
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const text = isUsable(name) && !kept.has(name) ? record.functions.get(name) : undefined;
    if (text === undefined) continue;
    kept.set(name, text.trimEnd());
    queue.push(...mentionedWords(text).filter((word) => isUsable(word) && !kept.has(word)));
  }
  return kept;
}

function mentionedWords(text: string): string[] {
  return text.split(WORD_BREAKS);
}

/** Variables that kept functions read and that a session would lack. */
function variablesOf(record: ShellRecord, texts: readonly string[]): string[] {
  const names = new Set(texts.flatMap((text) => [...text.matchAll(VARIABLE_USE)].map((match) => match[1] ?? "")));
  const lines: string[] = [];
  for (const name of [...names].sort()) {
    const text = record.variables.get(name)?.trimEnd() ?? "";
    if (record.exports.has(name) || !isKeptVariable(name, text)) continue;
    const found = DECLARATION.exec(text);
    const attributes = found?.[1] ?? "";
    // An exported variable that the rc did not change is in the session's environment already; a reference (`n`)
    // means another variable, which may not be there.
    if (found === null || attributes.includes("x") || attributes.includes("n")) continue;
    const kept = attributes.replaceAll(/[-r]/g, "");
    lines.push(`declare -g${kept} ${found[2] ?? ""}`);
  }
  return lines;
}

function exportsOf(record: ShellRecord): string[] {
  return [...record.exports]
    .filter(([name, value]) => isKeptVariable(name, value) && !isControlVariable(name, value))
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `export ${name}=${quote(value)}`);
}

function isKeptVariable(name: string, text: string): boolean {
  if (!VARIABLE_NAME.test(name) || SKIPPED_VARIABLES.test(name) || Object.hasOwn(NON_INTERACTIVE_ENV, name))
    return false;
  return !isSecretName(name) && !isProviderKeyName(name) && !isSecretValue(text);
}

function changedOptions(options: ReadonlyMap<string, boolean>, skipped: ReadonlySet<string>): [string, boolean][] {
  return [...options].filter(([name]) => !skipped.has(name) && /^[a-z0-9_-]+$/.test(name));
}
