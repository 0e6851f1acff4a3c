/**
 * Says which commands change a session so that its later commands may mean something else.
 *
 * In a persistent shell an alias, a function, a new `PATH` or a trap changes what `ls` is, and no reading of the next
 * command's text can tell. Once such a command ran, nothing is approved automatically in that session any more; a
 * fresh shell or a clone taken before is not affected.
 */
import type { CommandAnalysis, EffectiveCommand, Word } from "@pi-bash/command";
import { isSessionVariable } from "./environment.ts";

/** Builtins that change names, options, handlers or variables of the shell that runs them. */
const STATE_CHANGING: ReadonlySet<string> = new Set(
  "alias unalias enable hash set shopt trap eval source . exec export declare typeset readonly local unset let mapfile readarray getopts bind complete compopt ulimit umask fc history".split(
    " ",
  ),
);

/** Why a session is tainted by a command, for instance "`alias`"; undefined when it is not. */
export function taintOf(analysis: CommandAnalysis): string | undefined {
  if (!analysis.ok) return "a command that was not understood";
  // In a subshell or a substitution the change dies with it.
  const lasting = analysis.effective.filter(({ simple }) => !simple.context.subshell && !simple.context.substitution);
  const builtin = lasting.find((command) => STATE_CHANGING.has(nameOf(command)) && !keepsMeanings(command));
  if (builtin !== undefined) return `\`${nameOf(builtin)}\``;
  const wrapper = lasting.find(({ via }) => via.includes("eval") || via.includes("exec"));
  if (wrapper !== undefined) return `\`${wrapper.via[0] ?? ""}\``;
  const unknown = lasting.find((command) => command.argv[0]?.value === null);
  if (unknown !== undefined) return `\`${unknown.argv[0]?.text ?? ""}\``;
  const defined = analysis.constructs.find((construct) => construct.kind === "function");
  if (defined !== undefined) return "a function";
  return dangerousAssignment(analysis);
}

function nameOf(command: EffectiveCommand): string {
  return command.argv[0]?.value ?? "";
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
    default:
      return false;
  }
}

function isPlainExport(word: Word): boolean {
  const name = /^([A-Za-z_]\w*)(?:=|$)/.exec(word.leading)?.[1];
  return name !== undefined && !word.splits && !isSessionVariable(name);
}

function dangerousAssignment(analysis: CommandAnalysis): string | undefined {
  const names = [
    ...analysis.commands
      .filter((command) => command.argv.length === 0)
      .flatMap((command) => command.assignments.map(({ name }) => name)),
    ...analysis.constructs.flatMap((construct) =>
      construct.kind === "for" || construct.kind === "select" ? [construct.name] : [],
    ),
    ...analysis.effective.flatMap((command) => assignedArguments(command.argv.map((word) => word.value ?? ""))),
  ];
  const name = names.find(isSessionVariable);
  return name === undefined ? undefined : `a new value of \`${name}\``;
}

/** Names that `read` and `printf -v` assign. */
function assignedArguments(argv: readonly string[]): string[] {
  if (argv[0] === "read") return argv.slice(1);
  return argv[0] === "printf" && argv[1] === "-v" ? argv.slice(2, 3) : [];
}
