/**
 * Says which commands change a session so that its later commands may mean something else.
 *
 * In a persistent shell an alias, a function, a new `PATH` or a trap changes what `ls` is, and no reading of the next
 * command's text can tell. Once such a command ran, nothing is approved automatically in that session any more; a
 * fresh shell or a clone taken before is not affected. What cannot be determined taints.
 */
import type { CommandAnalysis, EffectiveCommand, Word } from "@pi-bash/command";
import { firstValue } from "@pi-bash/command/internal";
import { assignedNames, lastingConstructs, runsInShell } from "./assigned-names.ts";
import { isSessionVariable } from "./environment.ts";
import { isExportedSetting, isProgramSetting } from "./program-settings.ts";

/** Builtins that change names, options, handlers or variables of the shell that runs them. */
const STATE_CHANGING: ReadonlySet<string> = new Set(
  "alias unalias enable hash set shopt trap eval source . exec export declare typeset readonly local unset let mapfile readarray getopts bind complete compopt ulimit umask fc history".split(
    " ",
  ),
);

/** True for a builtin that changes the shell that runs it, harmlessly or not. */
export function changesShell(name: string): boolean {
  return STATE_CHANGING.has(name);
}

/** Builtins that run their words as another builtin: with options that are not understood, as any. */
const RUNS_BUILTIN = /^(?:command|builtin|exec|eval)$/;

/** Variables that bash sets as a matter of course and that no later command obeys. */
const WITHOUT_MEANING = /^(?:_|REPLY|COPROC|BASH_REMATCH|MAPFILE)$/;

/** Why a session is tainted by a command, for instance "`alias`"; undefined when it is not. */
export function taintOf(analysis: CommandAnalysis): string | undefined {
  if (!analysis.ok) return "a command that was not understood";
  return byBuiltin(analysis.effective.filter(runsInShell)) ?? byConstruct(analysis) ?? byVariable(analysis);
}

function byBuiltin(commands: readonly EffectiveCommand[]): string | undefined {
  const builtin = commands.find((command) => STATE_CHANGING.has(nameOf(command)) && !keepsMeanings(command));
  if (builtin !== undefined) return `\`${nameOf(builtin)}\``;
  const wrapper = commands.find(
    (command) =>
      command.via.includes("eval") ||
      command.via.includes("exec") ||
      (command.unresolved !== undefined && RUNS_BUILTIN.test(nameOf(command))),
  );
  if (wrapper !== undefined) return `\`${wrapper.via[0] ?? nameOf(wrapper)}\``;
  const unknown = commands.find((command) => command.argv[0]?.value === null);
  return unknown === undefined ? undefined : `\`${unknown.argv[0]?.text ?? ""}\``;
}

function byConstruct(analysis: CommandAnalysis): string | undefined {
  const lasting = lastingConstructs(analysis);
  if (lasting.some(({ kind }) => kind === "function")) return "a function";
  // `${ …; }` of bash 5.3 runs in the shell itself.
  const inShell = lasting.some(({ kind, text }) => kind === "command-substitution" && text.startsWith("${"));
  return inShell ? "a substitution in the shell itself" : undefined;
}

function byVariable(analysis: CommandAnalysis): string | undefined {
  const found = assignedNames(analysis).find(
    ({ name }) => name === undefined || (isObeyed(name) && !WITHOUT_MEANING.test(name)),
  );
  if (found === undefined) return undefined;
  return found.name === undefined
    ? `a variable that ${found.by} set, of a name that is not known,`
    : `a new value of \`${found.name}\``;
}

/** True for a variable that bash or a program obeys, and that may be exported already. */
function isObeyed(name: string): boolean {
  return isSessionVariable(name) || isProgramSetting(name);
}

function nameOf(command: EffectiveCommand): string {
  return firstValue(command.argv);
}

/** `export NODE_ENV=test` and `set -euo pipefail` change no command: only dangerous names and other options do. */
function keepsMeanings(command: EffectiveCommand): boolean {
  const words = command.argv.slice(1);
  switch (nameOf(command)) {
    case "export":
      return words.length > 0 && words.every(isPlainExport);
    case "set":
      return (
        words.length > 0 && words.every(({ value }) => /^(?:[-+][eux]*o?|pipefail|errexit|nounset)$/.test(value ?? ""))
      );
    case "shopt":
    case "trap":
    case "hash":
    case "umask":
    case "ulimit":
      return words.length === 0;
    default:
      return false;
  }
}

function isPlainExport(word: Word): boolean {
  // `"PAT$x=…"`: a name that goes on in what expands is not known.
  const name = (word.value === null ? /^([A-Za-z_]\w*)=/ : /^([A-Za-z_]\w*)(?:=|$)/).exec(word.leading)?.[1];
  return name !== undefined && !word.splits && !isSessionVariable(name) && !isExportedSetting(name);
}
