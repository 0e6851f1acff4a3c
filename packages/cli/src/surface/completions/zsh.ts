/**
 * The completions for zsh: a call of its `_arguments` for each command, made of the commands and options.
 */
import { COMMAND_NAMES, type CommandName, commandEntry } from "../commands.ts";
import type { Completion, Option } from "../options.ts";
import { quoted, wordsOf } from "./words.ts";

/** What `source <(pi-bash completions zsh)` reads, and what a file `_pi-bash` in `fpath` may have. */
export function zshCompletions(): string {
  const described = COMMAND_NAMES.map((name) => `    ${quoted(`${name}:${commandEntry(name).summary}`)}\n`);
  return `#compdef pi-bash
# Completions of pi-bash for zsh, printed by \`pi-bash completions zsh\`.
_pi_bash_words() {
  local -a open whole
  open=(\${(M)@:#*=})
  whole=(\${@:#*=})
  compadd -S '' -- $open
  compadd -- $whole
}
_pi_bash() {
  local curcontext=$curcontext state line
  local -a commands
  typeset -A opt_args
  commands=(
${described.join("")}  )
  _arguments -C '1: :->command' '*:: :->words'
  case $state in
    command) _describe command commands ;;
    words)
      case $words[1] in
${COMMAND_NAMES.map(armOf).join("")}      esac
      ;;
  esac
}
if [[ \${funcstack[1]-} == _pi-bash ]]; then _pi_bash "$@"; else compdef _pi_bash pi-bash; fi
`;
}

function armOf(name: CommandName): string {
  const { options, operands } = commandEntry(name);
  const specifications = [
    ...Object.entries(options).map(specificationOf),
    quoted("(- *)--help[print this]"),
    quoted("(- *)-h[print this]"),
    ...(operands === undefined ? [] : [quoted(`*: :${actionOf(operands)}`)]),
  ];
  return `        ${name}) _arguments ${specifications.join(" ")} ;;\n`;
}

function specificationOf([name, { type, multiple, value, completion, text }]: [string, Option]): string {
  const described = text.replaceAll(/[[\]:\\]/g, "\\$&");
  const flag = `${multiple === true ? "*" : ""}--${name}${type === "string" ? "=" : ""}[${described}]`;
  return quoted(type === "string" ? `${flag}:${value}:${actionOf(completion ?? [])}` : flag);
}

/** What \`_arguments\` does for a value. */
function actionOf(completion: Completion): string {
  const known = wordsOf(completion);
  switch (known) {
    case "file":
      return "_files";
    case "folder":
      return "_files -/";
    case "program":
      return "_command_names -e";
    default:
      return known.length === 0 ? " " : `_pi_bash_words ${known.join(" ")}`;
  }
}
