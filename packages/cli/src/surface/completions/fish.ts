/**
 * The completions for fish: a line for each command, option and kind of value.
 */
import { COMMAND_NAMES, type CommandName, commandEntry } from "../commands.ts";
import type { Completion, Option } from "../options.ts";
import { wordsOf } from "./words.ts";

/** What `pi-bash completions fish | source` reads. */
export function fishCompletions(): string {
  const names = COMMAND_NAMES.map(
    (name) => `complete -c pi-bash -n __pi_bash_is_first -a ${name} -d ${quoted(commandEntry(name).summary)}\n`,
  );
  return `# Completions of pi-bash for fish, printed by \`pi-bash completions fish\`.
function __pi_bash_is_first
    test (count (commandline -opc)) -eq 1
end
function __pi_bash_is
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test $words[2] = $argv[1]
end
complete -c pi-bash -f
${names.join("")}${COMMAND_NAMES.map(linesOf).join("")}`;
}

function linesOf(name: CommandName): string {
  const { options, operands } = commandEntry(name);
  const line = `complete -c pi-bash -n '__pi_bash_is ${name}'`;
  const help = `${line} -s h -l help -d 'print this'\n`;
  return [
    ...Object.entries(options).map(([option, entry]) => `${line} -l ${option}${valuePart(entry)}\n`),
    help,
    ...(operands === undefined ? [] : [`${line}${argumentsOf(operands)}\n`]),
  ].join("");
}

function valuePart({ type, completion, text }: Option): string {
  const value = type === "string" ? ` -r${argumentsOf(completion ?? [])}` : "";
  return `${value} -d ${quoted(text)}`;
}

/** The part of a line that says what is offered. */
function argumentsOf(completion: Completion): string {
  const known = wordsOf(completion);
  switch (known) {
    case "file":
      return " -F";
    case "folder":
      return " -f -a '(__fish_complete_directories)'";
    case "program":
      return " -a '(__fish_complete_command)'";
    default:
      return known.length === 0 ? " -f" : ` -f -a ${quoted(known.join(" "))}`;
  }
}

/** Within single quotes fish knows two escapes. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, "\\$&")}'`;
}
